import { setTimeout as pause } from 'node:timers/promises';
import { type MigrationRecord, type ShardRecord } from '@aosc/contract';
import { migrationKey } from '@aosc/store';
import {
  cancelMigration,
  type ComparisonReport,
  compareIndices,
  createRandom,
  createSourceIndex,
  createTargetIndex,
  deleteIndices,
  type ExpectedTransform,
  findLeftovers,
  type IndexOptions,
  type LeftoverOptions,
  type LoadedDocument,
  loadDocuments,
  makeDocument,
  readIndexSettings,
  readStatus,
  startMigration,
  startWriters,
  type StatusDocument,
  terminalPhases,
  UnexpectedAnswer,
  type VerificationReport,
  verifyAgainstModel,
  waitForPhase,
  waitForStatus,
  WriterModel,
  type Writers,
  type WritersOptions,
  type WriterStats,
} from '@aosc/testkit';
import { checkAnswers } from './check-answers';
import { type Environment, rightWhen, until } from './environment';
import { readMigrationRecord, readShardRecords, type RecordWatch, watchRecords } from './records';

type Side = Omit<IndexOptions, 'name'>;

export interface Scenario {
  /** names the indices; unique in its file */
  readonly name: string;
  readonly source: Side;
  readonly target: Side;
  /** the start makes the target of the files of the source, with the target's shards and settings */
  readonly byFiles?: boolean;
  /** loaded before the migration starts */
  readonly documents: number;
  /** loaded as well, under ids of their own; the writers do not touch them */
  readonly furtherDocuments?: Iterable<LoadedDocument>;
  readonly writers?: Partial<Omit<WritersOptions, 'urls' | 'alias' | 'onAcknowledged'>>;
  /** `options` of the start request */
  readonly options?: Readonly<Record<string, unknown>>;
  /** `transform_script` of the start request, and what must become of a document */
  readonly transform?: {
    readonly script: Readonly<Record<string, unknown>>;
    readonly expected: ExpectedTransform;
  };
  /** the cluster may refuse the records of a start, too: 503, and the operator asks again */
  readonly isOverloaded?: boolean;
  /** settings of the target that the test itself changes on the way, with their last values */
  readonly settingsAfter?: Readonly<Record<string, string>>;
  /** default: five minutes */
  readonly endsWithinMs?: number;
  /** how long what is left behind may stay, default 0: what only a guard or the end of a lease takes away */
  readonly leftoversWithinMs?: number;
}

/** A migration under way, and the applications that write meanwhile. */
export interface Migration {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly alias: string;
  readonly writers: Writers;
  readonly watch: RecordWatch;
  /** times at which writes were acknowledged, epoch ms */
  readonly acknowledgedAt: readonly number[];
  status(): Promise<StatusDocument>;
  waitFor(what: string, reached: (status: StatusDocument) => boolean): Promise<StatusDocument>;
  record(): Promise<MigrationRecord>;
  /** Returns as soon as the record is so. @throws when the migration has ended otherwise */
  readonly recordOnce: (isTime: (record: MigrationRecord) => boolean) => Promise<void>;
  shards(): Promise<readonly ShardRecord[]>;
  cancel(): Promise<string>;
}

export interface MigrationResult {
  readonly migration: Migration;
  readonly status: StatusDocument;
  readonly writers: WriterStats;
  /** acknowledged writes against what the alias shows; under a transform those of before the swap against the source */
  readonly verification: VerificationReport;
  /** of source and target; a migration that was not completed has none */
  readonly comparison: ComparisonReport | undefined;
  readonly leftovers: readonly string[];
}

/** Settings of the target that a migration changes for its time. */
export const borrowedSettings = [
  'index.number_of_replicas',
  'index.refresh_interval',
  'index.gc_deletes',
  'index.final_pipeline',
] as const;

const operationsAfterTheEnd = 100;
const leftoversPollMs = 250;

/**
 * A worker that is killed between the opening of a point in time and its record leaves that point in time open. It
 * expires after half a minute, and OpenSearch looks once a minute for what has expired.
 */
export const openedInVainMs = 100_000;

/**
 * One whole migration: makes both indices, loads the source, has four writers write through the alias from before
 * the start until after the end, then judges what came of it.
 * @param during what happens to the migration on its way; begins right after its start
 */
export function runMigration(
  environment: Environment,
  scenario: Scenario,
  during: (migration: Migration) => Promise<void> = () => Promise.resolve(),
): Promise<MigrationResult> {
  return environment.keepingLogs(async () => {
    const { http, urls, writerUrls, apiUrl } = environment;
    const { name } = scenario;
    const [source, target, alias] = [`${name}-v1`, `${name}-v2`, name];
    await createSourceIndex(http, { ...scenario.source, name: source, alias });
    if (!scenario.byFiles) await createTargetIndex(http, { ...scenario.target, name: target });
    await loadDocuments(http, alias, listDocuments(scenario.documents));
    if (scenario.furtherDocuments !== undefined) await loadDocuments(http, alias, scenario.furtherDocuments);
    const inherited = await readIndexSettings(http, scenario.byFiles ? source : target);
    const edits = Object.entries((scenario.byFiles && scenario.target.settings) || {});
    const settings = {
      ...inherited,
      ...Object.fromEntries(edits.map(([name, value]) => [name, String(value)])),
    };
    const targetSettings = {
      ...Object.fromEntries(borrowedSettings.map((key) => [key, settings[key] ?? null])),
      ...scenario.settingsAfter,
    };

    const acknowledgedAt: number[] = [];
    const writers = startWriters({
      rate: 400,
      adopt: listDocumentIds(scenario.documents),
      ...scenario.writers,
      urls: writerUrls,
      alias,
      onAcknowledged: ({ acknowledgedAtMillis }) => acknowledgedAt.push(acknowledgedAtMillis),
    });
    let watch: RecordWatch | undefined;
    try {
      await until('writes of every kind', () => writers.stats().recreations > 0);
      const { options, transform } = scenario;
      const request = {
        source,
        target,
        alias,
        ...((options ?? scenario.byFiles) && {
          options: { ...options, ...(scenario.byFiles && { copy: 'files' }) },
        }),
        ...(scenario.byFiles && { createTarget: describeEdits(scenario.target) }),
        ...(transform && { transformScript: transform.script }),
      };
      const start = (): Promise<string> => startMigration(apiUrl, request);
      const id = await (scenario.isOverloaded ? askUntilTaken(start) : start());
      watch = watchRecords(http, id, scenario.source.shards);
      const migration: Migration = {
        id,
        source,
        target,
        alias,
        writers,
        watch,
        acknowledgedAt,
        status: () => readStatus(apiUrl, source),
        waitFor: (what, reached) => waitForStatus(apiUrl, source, reached, what, { intervalMs: 50 }),
        record: () => readMigrationRecord(http, id),
        recordOnce: (isTime) =>
          rightWhen(`a certain moment of ${id}`, async () => {
            const record = await readMigrationRecord(http, id);
            if (isTime(record)) return true;
            if (terminalPhases.includes(record.phase)) throw new Error(`${id} has ended: ${record.phase}`);
            return false;
          }),
        shards: () => readShardRecords(http, id, scenario.source.shards),
        cancel: () => cancelMigration(apiUrl, source),
      };
      await during(migration);
      const { endsWithinMs: timeoutMs } = scenario;
      const status = await waitForPhase(
        apiUrl,
        source,
        terminalPhases,
        timeoutMs === undefined ? {} : { timeoutMs },
      );
      await checkAnswers(apiUrl, source);
      const completed = status.phase === 'COMPLETED';
      await writeOn(writers, completed ? target : source);
      await writers.stop();
      await watch.stop();
      const leftovers = await findLasting(scenario.leftoversWithinMs ?? 0, {
        urls,
        source,
        target,
        key: migrationKey(id),
        pitIds: [...watch.pitIds],
        targetSettings,
        targetRemoved: scenario.byFiles === true && !completed,
        writeBlockExpected: completed && scenario.options?.['remove_source_write_block_on_success'] !== true,
      });
      const { model } = writers;
      const result = {
        migration,
        status,
        writers: writers.stats(),
        // What the transform has made is not what was acknowledged: that is for the comparison.
        verification: await (completed && transform
          ? verifyAgainstModel({ urls, index: source, model: withoutWritesTo(target, model) })
          : verifyAgainstModel({ urls, index: alias, model })),
        comparison: completed
          ? await compareIndices({
              urls,
              source,
              target,
              model,
              ...(transform && { transform: transform.expected }),
            })
          : undefined,
        leftovers,
      };
      return result;
    } finally {
      await writers.stop();
      await watch?.stop();
      await cancelMigration(apiUrl, source).catch(() => undefined); // so that a failed test leaves no work behind
    }
  });
}

function describeEdits({ shards, settings = {} }: Side): Readonly<Record<string, unknown>> {
  return { number_of_shards: shards, settings };
}

function withoutWritesTo(index: string, model: WriterModel): WriterModel {
  const others = new WriterModel();
  for (const entry of model.values()) if (entry.index !== index) others.set(entry);
  return others;
}

/** What is left behind when the time is over. */
async function findLasting(withinMs: number, options: LeftoverOptions): Promise<readonly string[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const leftovers = await findLeftovers(options);
    if (leftovers.length === 0 || performance.now() > deadline) return leftovers;
    await pause(leftoversPollMs);
  }
}

async function askUntilTaken(start: () => Promise<string>): Promise<string> {
  let id = '';
  await until('a start that is taken', async () => {
    try {
      id = await start();
      return true;
    } catch (error) {
      if (error instanceof UnexpectedAnswer && error.answer.status === 503) return false;
      throw error;
    }
  });
  return id;
}

/** Removes what a test made, so that the next one has the heap for itself. */
export async function removeIndices({ http }: Environment, { source, target }: Migration): Promise<void> {
  await deleteIndices(http, [source, target]);
}

/** The writers have not noticed anything: they go on, and their writes go where the alias points now. */
async function writeOn(writers: Writers, index: string): Promise<void> {
  const written = (): number => writers.stats().operationsByIndex[index] ?? 0;
  const goal = written() + operationsAfterTheEnd;
  await until(`writes that reach ${index} after the end of the migration`, () => written() >= goal);
}

function* listDocuments(count: number): Generator<{ id: string; source: string }> {
  const random = createRandom(7);
  for (const id of listDocumentIds(count)) {
    // a line break between tokens can't travel in a bulk request
    yield { id, source: makeDocument(random, { id, revision: 0 }).replace(/\r?\n/g, ' ') };
  }
}

function listDocumentIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `loaded-${at}`);
}
