import type { Service } from '@aosc/stack';
import { createHttpClient } from '@aosc/testkit';
import { runAosc } from './aosc-run';
import { createSource, readVersion } from './cluster';
import type { BenchOptions } from './options';
import { applyProfile, highThroughput } from './profiles';
import { runReindex } from './reindex-run';
import { describeRun, group } from './report';
import type { Run } from './results';

export interface Measurements {
  readonly openSearch: string;
  readonly sourceBytesPerDocument: number;
  /** runs before the others, while the node's JVM compiles what it is going to run */
  readonly warmUp: readonly Run[];
  readonly runs: readonly Run[];
}

/** After two the CPU seconds that a run costs the node have stopped falling. */
const warmUpRounds = 2;
const scrollSizes = [1000, 5000] as const;

/** Fills the source and makes all runs; each round begins with another kind, so that none always comes first. */
export async function runBench(
  options: BenchOptions,
  openSearchUrls: readonly string[],
  service: Service,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Measurements> {
  const http = createHttpClient(openSearchUrls);
  try {
    say(`Loading ${group(options.documents)} documents`);
    const sourceBytesPerDocument = await createSource(http, options, signal);
    await applyProfile(service.apiUrl, highThroughput);
    const kinds = [
      ...scrollSizes.map((size) => (round: number) => runReindex(http, options, round, size, signal)),
      (round: number) => runAosc(http, service, options, round, signal),
    ];
    const makeRound = async (round: number, of: readonly ((round: number) => Promise<Run>)[]) => {
      const runs: Run[] = [];
      for (const run of of) {
        const done = await run(round);
        say(describeRun(done));
        runs.push(done);
      }
      return runs;
    };
    const warmUp: Run[] = [];
    // The two `_reindex` differ in a number alone, so one of them warms both up.
    for (let i = 0; i < warmUpRounds; i += 1) warmUp.push(...(await makeRound(0, kinds.slice(1))));
    const runs: Run[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      runs.push(...(await makeRound(round, rotate(kinds, round))));
    }
    return { openSearch: await readVersion(http), sourceBytesPerDocument, warmUp, runs };
  } finally {
    http.close();
  }
}

/** The list with its first `by` elements moved to its end. */
export function rotate<T>(list: readonly T[], by: number): readonly T[] {
  const cut = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(cut), ...list.slice(0, cut)];
}
