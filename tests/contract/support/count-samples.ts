import { readIndexSettings, type StatusDocument, waitForPhase } from '@aosc/testkit';
import { expectStarted, pathOf, type Workshop } from './workshop';
import { fill, makePair } from './indices';

/** Counts that differ, because a query finds in the target nothing that it finds in the source. */
export interface CountSamples {
  readonly difference: number;
  readonly query: object;
  /** tolerance one less than the difference */
  readonly refused: StatusDocument;
  readonly refusedAliases: unknown;
  readonly refusedSource: Readonly<Record<string, string>>;
  /** tolerance as large as the difference, and no transient settings */
  readonly tolerated: StatusDocument;
  /** the same without the query: the counts are equal */
  readonly unfiltered: StatusDocument;
}

const difference = 12;
const query = { exists: { field: 'key' } };

export async function runCountSamples(workshop: Workshop): Promise<CountSamples> {
  const { environment, api, cluster } = workshop;
  const run = async (name: string, options: object, phase: string) => {
    const names = await makePair(
      workshop,
      name,
      { shards: 1 },
      { shards: 1, mappings: { dynamic: false, properties: {} } },
    );
    const { source, target, alias } = names;
    await fill(workshop, source, difference);
    expectStarted(await api('POST', pathOf(source, '_start'), { target_index: target, alias, options }));
    const status = await waitForPhase(environment.apiUrl, source, [phase], { intervalMs: 100 });
    return { ...names, status };
  };
  const [refused, tolerated, unfiltered] = await Promise.all([
    run('c-refused', { validation_query: query, doc_count_tolerance: difference - 1 }, 'FAILED'),
    run(
      'c-tolerated',
      { validation_query: query, doc_count_tolerance: difference, transient_target_settings: {} },
      'COMPLETED',
    ),
    run('c-unfiltered', {}, 'COMPLETED'),
  ]);
  return {
    difference,
    query,
    refused: refused.status,
    refusedAliases: await cluster('GET', `/_alias/${refused.alias}`),
    refusedSource: await readIndexSettings(environment.http, refused.source),
    tolerated: tolerated.status,
    unfiltered: unfiltered.status,
  };
}
