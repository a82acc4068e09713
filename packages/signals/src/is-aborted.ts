/** Reads `aborted` again after a wait: control flow analysis would take the look before it for good. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
