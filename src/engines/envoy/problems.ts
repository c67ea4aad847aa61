import type { ProxyServer } from '../../api/proxyserver.ts'
import type { Problem } from '../../core/result.ts'
import type { Rejection } from './xds/channel.ts'

/** Words of Envoy may quote a whole message. */
const longestQuote = 600

export function rejected({ kind, name, text }: Rejection): Problem {
  const what = name === undefined ? `a part of its ${kind}` : `${name} (${kind})`
  const words = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text
  return { reason: 'EnvoyRejected', message: `Envoy rejects ${what} and keeps what it had before: ${words}` }
}

export const notConnected: Problem = {
  reason: 'EnvoyNotConnected',
  message: 'No Envoy has asked for its configuration yet; start one with the bootstrap in the state directory.',
}

export function cannotMove(proxy: ProxyServer, port: number): Problem {
  return {
    reason: 'InvalidField',
    field: 'spec.xdsPort',
    message: `ProxyServer ${proxy.metadata.name}: Envoy asks at port ${port}, and a running one cannot be told another; restart oooi and Envoy to use ${proxy.spec.xdsPort}.`,
  }
}
