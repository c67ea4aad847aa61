import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** One sample: the label values and the number. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

export interface MetricText {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
}

/**
 * The port to the metrics library. A name registered again replaces the old one: an engine that is made anew counts anew.
 * Hot paths keep plain numbers and are asked for them at scrape time (`counter`,
 * `gauge`), so a metric costs a packet one addition; only durations are pushed (`histogram`).
 */
export class Metrics {
  readonly #registry = new Registry()

  /** A number that only grows; `read` is called at each scrape. */
  counter(text: MetricText, read: () => readonly Sample[]): void {
    new Counter({
      ...this.#prepare(text),
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const sample of read()) this.inc({ ...sample.labels }, sample.value)
      },
    })
  }

  /** A number that goes up and down; `read` is called at each scrape. */
  gauge(text: MetricText, read: () => readonly Sample[]): void {
    new Gauge({
      ...this.#prepare(text),
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const sample of read()) this.set({ ...sample.labels }, sample.value)
      },
    })
  }

  /** Durations in seconds. Returns the function that records one. */
  histogram(text: MetricText, bucketsSeconds: readonly number[]): (seconds: number) => void {
    const histogram = new Histogram({
      ...this.#prepare(text),
      buckets: [...bucketsSeconds],
      registers: [this.#registry],
    })
    return (seconds) => histogram.observe(seconds)
  }

  /** The Prometheus text exposition. */
  async expose(): Promise<{ readonly contentType: string; readonly body: string }> {
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() }
  }

  #prepare(text: MetricText): { name: string; help: string; labelNames: string[] } {
    this.#registry.removeSingleMetric(text.name)
    return { name: text.name, help: text.help, labelNames: [...(text.labels ?? [])] }
  }
}
