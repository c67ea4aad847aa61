/** What a connection does at the moment; it hears what becomes of the client meanwhile. */
export interface Phase {
  /** The client has said all it wants to say. */
  clientEnded(): void
  clientClosed(): void
  /** Closing follows. */
  clientFailed?(): void
}
