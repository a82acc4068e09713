/** Reads `aborted` again after a wait: control flow analysis would rely on the earlier read for good. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
