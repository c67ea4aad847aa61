/** Connections that wait to be accepted: enough for a rack of machines that boot at the same moment. */
export const backlog = 1024

/** For datagrams that wait to be read: a burst of booting machines is not lost. The kernel gives less where it allows less. */
export const receiveBufferMiB = 4
