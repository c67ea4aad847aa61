/** Numbers of the protocol: RFC 2131, RFC 2132 and the ones named beside them. */

export const messageType = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  ack: 5,
  nak: 6,
  release: 7,
  inform: 8,
} as const

export const option = {
  pad: 0,
  subnetMask: 1,
  router: 3,
  domainNameServers: 6,
  hostname: 12,
  domainName: 15,
  interfaceMtu: 26,
  broadcastAddress: 28,
  timeServers: 42,
  requestedAddress: 50,
  leaseTime: 51,
  overload: 52,
  messageType: 53,
  serverIdentifier: 54,
  parameterRequestList: 55,
  message: 56,
  maximumMessageSize: 57,
  renewalTime: 58,
  rebindingTime: 59,
  clientIdentifier: 61,
  bootServer: 66,
  bootFile: 67,
  /** RFC 4702 */
  clientFqdn: 81,
  /** RFC 3046 */
  relayAgentInformation: 82,
  /** RFC 3397 */
  domainSearch: 119,
  /** RFC 3442 */
  classlessRoutes: 121,
  /** What Windows of old asks for instead of 121. */
  classlessRoutesOfWindows: 249,
  end: 255,
} as const

/** Where the fields of the BOOTP header lie (RFC 2131 section 2, figure 1). */
export const field = {
  op: 0,
  hardwareType: 1,
  hardwareLength: 2,
  transactionId: 4,
  flags: 10,
  clientAddress: 12,
  yourAddress: 16,
  serverAddress: 20,
  relayAddress: 24,
  hardwareAddress: 28,
  serverName: 44,
  bootFile: 108,
  magicCookie: 236,
  options: 240,
} as const

export const bootRequest = 1
export const bootReply = 2
export const magicCookie = 0x63825363
export const broadcastFlag = 0x8000
export const ethernet = 1
