import { createSocket, type Socket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { outcome, query } from '../../src/engines/dns/testing.ts'
import { until } from '../../src/lab/testing.ts'

export interface ChangePlan {
  readonly server: { readonly address: string; readonly port: number }
  /** A name that is changed, one of ours that is not, and one that the server had to ask its upstream for. */
  readonly changed: string
  readonly steady: string
  readonly foreign: string
  readonly count: number
  /** Makes the changed name mean this address; resolves when the API server has it. */
  apply(address: string): Promise<void>
}

export interface ChangeReport {
  /** From the call of `apply` until the new answer came, of each change. */
  readonly milliseconds: readonly number[]
  readonly asked: number
  readonly lost: number
}

/** Changes a name again and again while others are asked for all the time. */
export async function changeRepeatedly(plan: ChangePlan): Promise<ChangeReport> {
  const steady = await Questioner.open(plan.server, [plan.steady, plan.foreign])
  const milliseconds: number[] = []
  try {
    for (let index = 0; index < plan.count; index++) {
      const address = `10.9.${index >> 8}.${index & 255}`
      const startedAtMs = performance.now()
      const [answeredAtMs] = await Promise.all([untilAnswered(plan, address), plan.apply(address)])
      milliseconds.push(answeredAtMs - startedAtMs)
    }
    await until('the last answers', () => (steady.waiting === 0 ? true : undefined), 3000).catch(() => {})
    return { milliseconds, asked: steady.asked, lost: steady.waiting }
  } finally {
    steady.close()
  }
}

/** Asks every millisecond; when the wanted answer came. */
async function untilAnswered({ server, changed }: ChangePlan, address: string): Promise<number> {
  const socket = await connected(server)
  const answered = Promise.withResolvers<number>()
  socket.on('message', (reply) => {
    if (outcome(reply).answers.join() === `${changed} A ${address}`) answered.resolve(performance.now())
  })
  const timer = setInterval(() => socket.send(query(changed, 'A')), 1)
  try {
    return await Promise.race([answered.promise, sleep(30_000).then(() => Promise.reject(new Error(`no ${address}`)))])
  } finally {
    clearInterval(timer)
    socket.close()
  }
}

/** Asks two names in turn, every other millisecond, and counts the answers it did not get. */
class Questioner {
  readonly #socket: Socket
  readonly #timer: NodeJS.Timeout
  readonly #waiting = new Set<number>()
  asked = 0

  static async open(server: ChangePlan['server'], names: readonly string[]): Promise<Questioner> {
    return new Questioner(await connected(server), names)
  }

  private constructor(socket: Socket, names: readonly string[]) {
    this.#socket = socket
    socket.on('message', (reply) => this.#waiting.delete(reply.readUInt16BE(0)))
    this.#timer = setInterval(() => {
      const id = this.asked++ & 0xffff
      this.#waiting.add(id)
      socket.send(query(names[id % names.length] ?? '', 'A', { id }))
    }, 2)
  }

  get waiting(): number {
    clearInterval(this.#timer)
    return this.#waiting.size
  }

  close(): void {
    clearInterval(this.#timer)
    this.#socket.close()
  }
}

async function connected({ address, port }: ChangePlan['server']): Promise<Socket> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.connect(port, address, resolve))
  return socket
}
