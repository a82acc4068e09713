/** One kind of run; round 0 is warm-up. */
export type Kind<T> = (round: number) => Promise<T>;

export interface Rounds<T> {
  /** round 0, which no summary counts: before the others, while the node's JVM compiles what it is going to run */
  readonly warmUp: readonly T[];
  readonly runs: readonly T[];
}

/**
 * Makes each kind of run once in each round; each round begins with another kind, so that none always comes first.
 * @param options `warmUpRounds`: 1 when left out; `warmUpKinds`: those that warm the others up as well, all when left out
 * @param onRun learns of each run when it has ended
 * @throws what a run throws, at once
 */
export async function alternate<T>(
  kinds: readonly Kind<T>[],
  {
    rounds,
    warmUpRounds = 1,
    warmUpKinds = kinds,
  }: {
    readonly rounds: number;
    readonly warmUpRounds?: number;
    readonly warmUpKinds?: readonly Kind<T>[];
  },
  onRun: (run: T) => void,
): Promise<Rounds<T>> {
  const makeRound = async (round: number, of: readonly Kind<T>[]): Promise<readonly T[]> => {
    const runs: T[] = [];
    for (const run of of) {
      const done = await run(round);
      onRun(done);
      runs.push(done);
    }
    return runs;
  };
  const warmUp: T[] = [];
  for (let i = 0; i < warmUpRounds; i += 1) warmUp.push(...(await makeRound(0, warmUpKinds)));
  const runs: T[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    runs.push(...(await makeRound(round, rotate(kinds, round))));
  }
  return { warmUp, runs };
}

/** What a line about a run begins with. */
export function nameRound(round: number): string {
  return round === 0 ? 'warm-up' : `round ${round}`;
}

/** The list with its first `by` elements moved to its end. */
export function rotate<T>(list: readonly T[], by: number): readonly T[] {
  const cut = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(cut), ...list.slice(0, cut)];
}
