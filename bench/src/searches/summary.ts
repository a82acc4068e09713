import { percentileOf } from '../percentile';
import { medianOf } from '../summary';
import type { SearchKind } from './queries';
import type { Condition, ConditionSummary, Percentiles, SearchRun } from './results';
import type { Search } from './searcher';

/** @throws Error unless every kind was searched for */
export function toFigures(
  searches: readonly Search[],
): Pick<SearchRun, 'searches' | 'failures' | 'p50Ms' | 'p95Ms' | 'byKind'> {
  const ofKind = (kind: SearchKind): Percentiles =>
    toPercentiles(searches.filter((search) => search.kind === kind));
  return {
    searches: searches.length,
    failures: searches.filter(({ failed }) => failed).length,
    ...toPercentiles(searches),
    byKind: {
      term: ofKind('term'),
      range: ofKind('range'),
      aggregation: ofKind('aggregation'),
      top_hits: ofKind('top_hits'),
    },
  };
}

/** A search that failed was not faster for it: it counts with the time it took to fail. */
function toPercentiles(searches: readonly Search[]): Percentiles {
  const latencies = searches.map(({ latencyMs }) => latencyMs);
  return { p50Ms: percentileOf(latencies, 0.5), p95Ms: percentileOf(latencies, 0.95) };
}

/** @param runs at least one of each condition in every round @throws Error when there is none */
export function summarizeSearches(runs: readonly SearchRun[]): Readonly<Record<Condition, ConditionSummary>> {
  const of = (condition: Condition): ConditionSummary => {
    const own = runs.filter((run) => run.condition === condition);
    const median = (value: (run: SearchRun) => number): number => medianOf(own.map(value));
    const ratio = (value: (run: SearchRun) => number): number =>
      median((run) => value(run) / value(quietBeside(runs, run)));
    return {
      searchesPerSecond: median(({ searches, seconds }) => searches / seconds),
      failures: own.reduce((sum, { failures }) => sum + failures, 0),
      documentsCopiedPerSecond: median(({ documentsCopied, seconds }) => documentsCopied / seconds),
      clusterCpus: median(({ clusterCpuSeconds, seconds }) => clusterCpuSeconds / seconds),
      p50Ms: median(({ p50Ms }) => p50Ms),
      p95Ms: median(({ p95Ms }) => p95Ms),
      p50Ratio: ratio(({ p50Ms }) => p50Ms),
      p95Ratio: ratio(({ p95Ms }) => p95Ms),
      p95RatioByKind: {
        term: ratio(({ byKind }) => byKind.term.p95Ms),
        range: ratio(({ byKind }) => byKind.range.p95Ms),
        aggregation: ratio(({ byKind }) => byKind.aggregation.p95Ms),
        top_hits: ratio(({ byKind }) => byKind.top_hits.p95Ms),
      },
    };
  };
  return { quiet: of('quiet'), low_impact: of('low_impact'), high_throughput: of('high_throughput') };
}

function quietBeside(runs: readonly SearchRun[], { round }: SearchRun): SearchRun {
  const found = runs.find((run) => run.condition === 'quiet' && run.round === round);
  if (found === undefined) throw new Error(`round ${round} has no quiet run`);
  return found;
}
