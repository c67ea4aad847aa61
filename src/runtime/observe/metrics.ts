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
  readonly #children = new Map<string, Metrics>()

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
    const own = await this.#registry.metrics()
    const others = await Promise.all([...this.#children.values()].map(async (child) => (await child.expose()).body))
    return { contentType: this.#registry.contentType, body: mergeExpositions([own, ...others]) }
  }

  /** Metrics of one of several equal parts: every sample carries the label. The same value gives the same part. */
  labelled(label: string, value: string): Metrics {
    const existing = this.#children.get(value)
    if (existing) return existing
    const child = new Metrics()
    child.#registry.setDefaultLabels({ [label]: value })
    this.#children.set(value, child)
    return child
  }

  #prepare(text: MetricText): { name: string; help: string; labelNames: string[] } {
    this.#registry.removeSingleMetric(text.name)
    return { name: text.name, help: text.help, labelNames: [...(text.labels ?? [])] }
  }
}

/** One exposition out of several: the format wants all samples of a metric together, below one HELP and one TYPE. */
function mergeExpositions(texts: readonly string[]): string {
  const families = new Map<string, string[]>()
  for (const block of texts.flatMap((text) => text.split(/\n(?=# HELP )/))) {
    const [help = '', type = '', ...samples] = block.split('\n').filter((line) => line !== '')
    if (help === '') continue
    const heading = `${help}\n${type}`
    families.set(heading, [...(families.get(heading) ?? []), ...samples])
  }
  return [...families].map(([heading, samples]) => `${[heading, ...samples].join('\n')}\n`).join('\n')
}
