import type { Service } from '@aosc/stack';
import { createHttpClient } from '@aosc/testkit';
import { runAosc } from './aosc-run';
import { createSource, readVersion } from './cluster';
import type { BenchOptions } from './options';
import { applyProfile, highThroughput } from './profiles';
import { runReindex } from './reindex-run';
import { describeRun, group } from './report';
import type { Run } from './results';
import { alternate, type Kind, type Rounds } from './rounds';

export interface Measurements extends Rounds<Run> {
  readonly openSearch: string;
  readonly sourceBytesPerDocument: number;
}

/** After two the CPU seconds that a run costs the node have stopped falling. */
export const warmUpRounds = 2;
const scrollSizes = [1000, 5000] as const;

/** Fills the source and makes all runs. */
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
    const kinds: readonly Kind<Run>[] = [
      ...scrollSizes.map((size) => (round: number) => runReindex(http, options, round, size, signal)),
      (round: number) => runAosc(http, service, options, round, signal),
    ];
    const rounds = await alternate(
      kinds,
      // The two `_reindex` differ in a number alone, so one of them warms both up.
      { rounds: options.rounds, warmUpRounds, warmUpKinds: kinds.slice(1) },
      (run) => say(describeRun(run)),
    );
    return { openSearch: await readVersion(http), sourceBytesPerDocument, ...rounds };
  } finally {
    http.close();
  }
}
