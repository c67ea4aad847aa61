import { block, nested } from './syntax.ts'

export interface BootstrapOptions {
  readonly port: number
  /** Where the Corefile proper will be; nothing is there at first. */
  readonly directory: string
  /** Address and port, as `{$POD_IP}:8081`, where CoreDNS says that it lives. */
  readonly health: string
}

/**
 * What CoreDNS starts with in a pod, before anybody has told it what to serve: nothing but a look, every two seconds,
 * whether there is a Corefile by now. So it does not matter which of the pod's containers comes first.
 */
export function bootstrapCorefile({ port, directory, health }: BootstrapOptions): string {
  const alive = nested(`health ${health}`, 'lameduck 5s')
  const waiting = block(`bootstrap.oooi.invalid:${port}`, 'bind 127.0.0.1', 'reload 2s 1s', ...alive)
  // A pattern may match nothing; a name would have to be there.
  return `${waiting}import ${directory}/Corefile*\n`
}
