/** A request that belongs to a trace. */
export interface RunningRequest {
  /** the header of that name (W3C Trace Context) */
  readonly traceparent: string;
  /** sent as `X-Opaque-Id` when the call has none */
  readonly opaqueId: string;
  /** @param outcome `failure`: a word for what came instead of an answer */
  end(outcome: {
    readonly status?: number;
    readonly failure?: string;
    readonly server?: { readonly host: string; readonly port: number };
  }): void;
}

/** Observes each request. */
export interface RequestTrace {
  /**
   * @param template returns the path without names and ids
   * @returns undefined: the request belongs to no trace
   */
  beginRequest(method: string, template: () => string): RunningRequest | undefined;
}

/** How a process stands with one node of OpenSearch. */
export interface NodeConnections {
  /** host and port */
  readonly node: string;
  /** its last request or ping got no answer */
  readonly isAway: boolean;
  /** connections, idle ones included */
  readonly open: number;
  /** requests that wait for a free connection */
  readonly waiting: number;
  /** how often all connections were replaced because the node answered only on a fresh one */
  readonly renewals: number;
}
