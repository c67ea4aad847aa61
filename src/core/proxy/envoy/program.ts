import { drainSeconds } from './tuning.ts'

/** The places that Envoy and oooi share in a state directory. */
export function envoyFiles(stateDirectory: string): EnvoyFiles {
  return envoyFilesIn(`${stateDirectory}/envoy`)
}

export interface EnvoyFiles {
  readonly bootstrap: string
  readonly adminSocket: string
}

export function envoyFilesIn(directory: string): EnvoyFiles {
  return { bootstrap: `${directory}/bootstrap.json`, adminSocket: `${directory}/admin.sock` }
}

/** How Envoy is started. Its level of logging is told to it later, so that a change of it is no new start. */
export function envoyArguments(bootstrapFile: string): string[] {
  return [
    ...['-c', bootstrapFile],
    ...['--drain-time-s', String(drainSeconds), '--drain-strategy', 'immediate'],
    ...['--disable-hot-restart', '--concurrency', '2', '--file-flush-interval-msec', '1000'],
  ]
}
