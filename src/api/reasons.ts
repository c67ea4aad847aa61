import { appsReasons } from './reasons/apps.ts'
import { dhcpReasons } from './reasons/dhcp.ts'
import { hostReasons } from './reasons/host.ts'
import { hostedReasons } from './reasons/hosted.ts'
import { infraReasons } from './reasons/infra.ts'
import { kindsReasons } from './reasons/kinds.ts'
import { labReasons } from './reasons/lab.ts'
import { manifestReasons } from './reasons/manifest.ts'
import { operatorReasons } from './reasons/operator.ts'
import { podReasons } from './reasons/pod.ts'
import { proxyReasons } from './reasons/proxy.ts'
import { virtualIngressReasons } from './reasons/virtualingress.ts'

/**
 * Every reason oooi gives for not doing what it was asked, with its meaning and the remedy. A reason is the stable
 * name that conditions, events, logs and `-o json` carry; the message beside it has the particulars.
 */
export const reasons = {
  ...manifestReasons,
  ...infraReasons,
  ...hostReasons,
  ...proxyReasons,
  ...labReasons,
  ...dhcpReasons,
  ...podReasons,
  ...kindsReasons,
  ...hostedReasons,
  ...operatorReasons,
  ...virtualIngressReasons,
  ...appsReasons,
}

export type Reason = keyof typeof reasons
