/** What every call to OpenSearch takes beside its own arguments. */
export interface Call {
  /** Ends the wait for an answer; the request itself may still be carried out. */
  readonly signal: AbortSignal;
  /** Sent as `X-Opaque-Id`: names the migration, shard and epoch in `_tasks`, slow logs and deprecation logs. */
  readonly opaqueId?: string;
  /** Overrides the client's request time-out. */
  readonly timeoutMs?: number;
}
