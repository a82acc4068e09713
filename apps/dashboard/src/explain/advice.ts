import { strayWrites } from '@aosc/client';

/** What to do about a text of the API or of a migration. */
export interface Advice {
  readonly text: string;
  /** the page of the documentation that has more */
  readonly page: string;
}

const known: readonly (readonly [RegExp, Advice])[] = [
  [
    strayWrites,
    {
      text: 'Find the writes in the source (its newest _seq_no) and apply them to the target, or migrate again from the source. Do not delete the source before, and find out who writes to it.',
      page: 'docs/operations/runbook.md',
    },
  ],
  [
    /lifted by another client|was written to under the write block|does not stand still/,
    {
      text: 'The alias has not moved. Find out which client lifts write blocks or writes past them, and start again into an empty target.',
      page: 'docs/operations/runbook.md',
    },
  ],
  [
    /routing-partitioned|number_of_routing_shards/,
    {
      text: 'Create the target with the routing shards of the source. The start form does it when it makes a new index.',
      page: 'docs/reference/create-target.md',
    },
  ],
  [
    /is not empty/,
    {
      text: 'Delete the target and create it again, or choose another name.',
      page: 'docs/how-to/run-a-migration.md',
    },
  ],
  [
    /since the plan these have changed/,
    {
      text: 'Plan again: a new plan shows what is there now, and the next start follows it.',
      page: 'docs/reference/plan.md',
    },
  ],
  [
    /target index \[.*\] exists already/,
    {
      text: 'If it is the empty index that you want, choose “Use an empty index” in the start form.',
      page: 'docs/reference/create-target.md',
    },
  ],
  [
    /source index \[.*\] not found/,
    {
      text: 'Check the name. It has to be the name of an index, not of an alias: GET /_cat/aliases of the cluster says which index an alias is on.',
      page: 'docs/how-to/run-a-migration.md',
    },
  ],
  [
    /target index \[.*\] not found/,
    {
      text: 'Create the target first: the start form can do it from the source.',
      page: 'docs/reference/create-target.md',
    },
  ],
  [
    /Redis can't be reached|Nothing was started/,
    {
      text: 'Look at the Redis of the service and at AOSC_REDIS_URL.',
      page: 'docs/operations/one-cluster-one-redis.md',
    },
  ],
  [
    /lacks permissions|refuses the service's user/,
    {
      text: "Give the service's user in OpenSearch the role of the documentation.",
      page: 'docs/how-to/opensearch-user.md',
    },
  ],
  [
    /doc_count|document counts?/i,
    {
      text: 'Source and target have different numbers of documents. Find out who else writes to the target, or accept the difference with doc_count_tolerance.',
      page: 'docs/how-to/run-a-migration.md',
    },
  ],
  [
    /transform|script/i,
    {
      text: 'Try the transform again in the start form, where it is run on documents of the source.',
      page: 'docs/how-to/transform-documents.md',
    },
  ],
  [
    /overload|rejected|circuit/i,
    {
      text: 'The cluster was overloaded. Choose the profile Live searches in the settings, and start again.',
      page: 'docs/how-to/tune-the-load.md',
    },
  ],
  [
    /lasted longer than/,
    {
      text: 'Writes were refused for longer than AOSC_WRITE_BLOCK_MAX_MS allows. The message says what the service waited for. Start again when less is written.',
      page: 'docs/reference/phases.md',
    },
  ],
  [
    /point in time|snapshot/i,
    {
      text: 'Too many points in time are open, or one was lost. Look at the leases, and try again.',
      page: 'docs/how-to/clean-up-by-hand.md',
    },
  ],
];

const general: Advice = {
  text: 'The message says what is wrong. If that is not enough, read the log of the service.',
  page: 'docs/how-to/run-a-migration.md',
};

export function adviceFor(text: string): Advice {
  return known.find(([pattern]) => pattern.test(text))?.[1] ?? general;
}

const ofWaits: Readonly<Record<'worker' | 'permit' | 'target' | 'gap' | 'cluster', Advice>> = {
  worker: { text: 'No worker takes jobs. Start one.', page: 'docs/operations/liveness.md' },
  permit: {
    text: 'aosc.backfill.max_concurrent_per_node is 0, so that no shard may begin. Raise it in the settings.',
    page: 'docs/reference/permits.md',
  },
  target: {
    text: 'Something stands in the way. The text says what, and what helps.',
    page: 'docs/reference/status-fields.md',
  },
  cluster: {
    text: 'The cluster refuses a step, or fails at it, each time that a scheduler tries. Do what the text says; the migration continues then.',
    page: 'docs/reference/status-fields.md',
  },
  gap: {
    text: 'Writes go on, and the cutover begins when nothing stands in its way. The text says what does, and what helps.',
    page: 'docs/reference/phases.md',
  },
};

export const adviceForWait = (reason: keyof typeof ofWaits): Advice => ofWaits[reason];
