import type { Service } from '@aosc/stack';
import { createHttpClient } from '@aosc/testkit';
import { applyProfile, runAosc } from './aosc-run';
import { createSource, readVersion } from './cluster';
import type { BenchOptions } from './options';
import { runReindex } from './reindex-run';
import { describeRun, group } from './report';
import type { Run } from './results';

export interface Measurements {
  readonly openSearch: string;
  readonly sourceBytesPerDocument: number;
  /** one run of each kind before the others, while the node's JVM compiles what it is going to run */
  readonly warmUp: readonly Run[];
  readonly runs: readonly Run[];
}

const warmUpRound = 0;
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
    await applyProfile(service.apiUrl);
    const kinds = [
      ...scrollSizes.map((size) => (round: number) => runReindex(http, options, round, size, signal)),
      (round: number) => runAosc(http, service, options, round, signal),
    ];
    const all: Run[] = [];
    for (let round = warmUpRound; round <= options.rounds; round += 1) {
      for (const run of rotate<(round: number) => Promise<Run>>(kinds, round)) {
        const done = await run(round);
        say(describeRun(done));
        all.push(done);
      }
    }
    return {
      openSearch: await readVersion(http),
      sourceBytesPerDocument,
      warmUp: all.filter(({ round }) => round === warmUpRound),
      runs: all.filter(({ round }) => round !== warmUpRound),
    };
  } finally {
    http.close();
  }
}

/** The list with its first `by` elements moved to its end. */
export function rotate<T>(list: readonly T[], by: number): readonly T[] {
  const cut = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(cut), ...list.slice(0, cut)];
}
