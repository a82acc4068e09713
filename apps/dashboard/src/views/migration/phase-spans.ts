interface Transition<P extends string> {
  readonly phase: P;
  readonly start_time_millis: number;
  readonly end_time_millis?: number;
}

export interface Span<P extends string> {
  readonly phase: P;
  readonly startMillis: number;
  /** undefined: the phase still runs */
  readonly endMillis: number | undefined;
  readonly durationMillis: number;
}

/**
 * How long a migration was in each phase, in order. A phase without an end of its own ends where the next one begins.
 * @param nowMillis the end of a phase that still runs
 * @param hasEnded the last phase is the end: it takes no time
 */
export function spansOf<P extends string>(
  transitions: readonly Transition<P>[],
  nowMillis: number,
  hasEnded: boolean,
): readonly Span<P>[] {
  return transitions.map(({ phase, start_time_millis: startMillis, end_time_millis }, at) => {
    const isLast = at === transitions.length - 1;
    const next = transitions[at + 1]?.start_time_millis;
    const endMillis = end_time_millis ?? next ?? (isLast && hasEnded ? startMillis : undefined);
    return {
      phase,
      startMillis,
      endMillis,
      durationMillis: Math.max(0, (endMillis ?? nowMillis) - startMillis),
    };
  });
}
