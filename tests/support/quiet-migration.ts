import {
  callJson,
  createRandom,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  makeDocument,
  startMigration,
  type StatusDocument,
  waitForStatus,
} from '@aosc/testkit';
import { type Environment, rightWhen } from './environment';
import { pauseWorkers } from './paused-workers';
import { readMigrationRecord } from './records';

export interface QuietMigration {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly alias: string;
  /** @throws when it has ended otherwise */
  readonly until: (what: string, reached: (status: StatusDocument) => boolean) => Promise<StatusDocument>;
}

/**
 * Starts a migration from two shards to four, with a transform and without writers.
 * @param hold keeps it in PREPARING_TARGET: the target asks for a replica that a cluster of one node can't assign
 */
export async function startQuietMigration(
  { http, apiUrl }: Environment,
  given: {
    readonly alias: string;
    readonly documents: number;
    readonly hold?: boolean;
    readonly options?: Readonly<Record<string, unknown>>;
  },
): Promise<QuietMigration> {
  const { alias, documents, hold = false, options } = given;
  const [source, target] = [`${alias}-v1`, `${alias}-v2`];
  await createSourceIndex(http, { name: source, shards: 2, alias });
  await createTargetIndex(http, { name: target, shards: 4, replicas: hold ? 1 : 0 });
  const random = createRandom(3);
  const loaded = Array.from({ length: documents }, (_, n) => ({
    id: `d${n}`,
    source: makeDocument(random, { id: `d${n}`, revision: 0 }).replace(/\r?\n/g, ' '),
  }));
  await loadDocuments(http, alias, loaded);
  const transformScript = { type: 'inline', source: 'ctx._source.seen = true' };
  const start = { source, target, alias, transformScript, ...(options && { options }) };
  return {
    id: await startMigration(apiUrl, start),
    source,
    target,
    alias,
    until: (what, reached) => waitForStatus(apiUrl, source, reached, what, { intervalMs: 50 }),
  };
}

/**
 * Lets a held migration go on into CATCHING_UP, under the write block, and keeps it there: every worker is paused. No
 * write hold may come before.
 * @returns lets the workers go on
 */
export async function holdUnderTheBlock(
  environment: Environment,
  { id, target, until }: QuietMigration,
): Promise<() => Promise<void>> {
  const { http } = environment;
  await rightWhen(
    'a target that has its settings back',
    async () => (await readMigrationRecord(http, id)).targetRestored,
  );
  const { clusterUuid } = await readMigrationRecord(http, id);
  return pauseWorkers(environment, clusterUuid, async () => {
    await callJson(http, (answer) => answer, 'PUT', `/${target}/_settings`, {
      'index.number_of_replicas': 0,
    });
    await until('CATCHING_UP', ({ phase }) => phase === 'CATCHING_UP');
  });
}
