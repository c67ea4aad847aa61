/** What can be broken in a running lab. */
export const faultNames = ['dhcp', 'dns', 'proxy', 'api', 'vip', 'upstream', 'vm', 'pxe'] as const
export type FaultName = (typeof faultNames)[number]

/** One thing that goes wrong in earnest too, how it is done here, and what a person should expect of it. */
export interface Fault {
  /** What is done to the lab. */
  readonly does: string
  /** What goes on regardless. */
  readonly survives: string
  /** How it comes back once the cause is gone. */
  readonly heals: string
  inflict(): Promise<void>
  mend(): Promise<void>
}
