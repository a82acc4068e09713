/** Time and chance, so that procedures can be tested without waiting. */
export interface Clock {
  /** epoch milliseconds, for records and people */
  now(): number;
  /** milliseconds that never jump, for durations and deadlines */
  monotonic(): number;
  /** @throws the signal's reason when it fires */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** uniform in [0, 1) */
  random(): number;
}
