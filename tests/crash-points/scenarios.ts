import { callJson, UnexpectedAnswer } from '@aosc/testkit';
import type { Environment } from '../support/environment';
import type { Migration, Scenario } from '../support/scenario';
import type { CallEvent } from './lab';
import { makeOwnPipeline, shape, transformedShape } from './shapes';

type End = 'COMPLETED' | 'CANCELLED' | 'FAILED';

/** What a user does to a migration on its way. Places count from then on. */
interface Turn {
  /** at the answer of the first call for which this is so, which is held meanwhile */
  readonly at: (event: CallEvent) => boolean;
  readonly act: (environment: Environment, migration: Migration) => Promise<unknown>;
}

/** A kind of migration whose changing calls are enumerated. */
export interface CrashScenario {
  readonly name: string;
  readonly migration: Omit<Scenario, 'name'>;
  /** writers wait before the write block; default: they do not */
  readonly holdsWriters?: true;
  /** what the cluster has before */
  readonly prepare?: (environment: Environment) => Promise<unknown>;
  /** how it may end, whichever process dies on the way */
  readonly ends: readonly End[];
  readonly turn?: Turn;
  /** What a user does while the process is dead and no other is there yet. Such a scenario has only borrowed places. */
  readonly whileDead?: (migration: Migration) => Promise<unknown>;
  /** places of another scenario at which a process dies in this one, too */
  readonly borrows?: { readonly from: string; readonly places: RegExp };
}

const whileCopying = ({ kind, place }: CallEvent): boolean =>
  kind === 'worker' && place.includes('/BACKFILLING/bulk of documents');
const inLastRounds = ({ kind, migrationPhase, call }: CallEvent): boolean =>
  kind === 'worker' && migrationPhase === 'CATCHING_UP' && call.via === 'opensearch';
const cancel = (_environment: Environment, migration: Migration) => migration.cancel();

/** Where a call that lands late could undo what an abort has done. */
const fatefulCalls = /^scheduler\/[A-Z_]+\/(settings of|aliases|PUT .*_block|record of the migration)/;

/** A user changes what the copy needs. */
const spoil: Turn['act'] = ({ http }, { target }) =>
  callJson(http, (answer) => answer, 'PUT', `/${target}/_settings`, { 'index.gc_deletes': '70s' });

function onlyWhenRefused(error: unknown): void {
  const isRefused =
    error instanceof UnexpectedAnswer && error.answer.status >= 400 && error.answer.status < 500;
  if (!isRefused) throw error;
}

/** The target has a pipeline of its own, for what applications write, and the migration another for its transform. */
const transforming = { migration: transformedShape, prepare: makeOwnPipeline } as const;
const transformScenarios: readonly CrashScenario[] = [
  { name: 'a transform', ...transforming, ends: ['COMPLETED'] },
  {
    name: 'cancel a transform',
    ...transforming,
    ends: ['CANCELLED'],
    turn: { at: whileCopying, act: cancel },
  },
  {
    name: 'fail a transform',
    ...transforming,
    ends: ['FAILED'],
    turn: { at: inLastRounds, act: spoil },
  },
  {
    name: 'cancel a transform after the death',
    ...transforming,
    ends: ['CANCELLED', 'COMPLETED'],
    whileDead: (migration) => migration.cancel().catch(onlyWhenRefused),
    borrows: { from: 'a transform', places: /_ingest|final_pipeline/ },
  },
];

/**
 * The start makes the target of the files of the source. Replicas are wanted back, so a merge comes before them, though one
 * node takes none.
 */
const linking = {
  ...shape,
  byFiles: true,
  source: { ...shape.source, settings: { 'index.auto_expand_replicas': '0-1' } },
  options: {
    transient_target_settings: { 'index.refresh_interval': '-1', 'index.auto_expand_replicas': 'false' },
  },
} as const;
const whileLinking = ({ place }: CallEvent): boolean => place.includes('/_split/');
const filesScenarios: readonly CrashScenario[] = [
  { name: 'files', migration: linking, ends: ['COMPLETED'] },
  {
    name: 'cancel files',
    migration: linking,
    ends: ['CANCELLED'],
    turn: { at: whileLinking, act: cancel },
  },
  {
    name: 'cancel files after the death',
    migration: linking,
    ends: ['CANCELLED', 'COMPLETED'],
    whileDead: (migration) => migration.cancel().catch(onlyWhenRefused),
    borrows: { from: 'files', places: /_split|settings of block|aliases: .block/ },
  },
];

const holding = { migration: shape, holdsWriters: true } as const;
const holdScenarios: readonly CrashScenario[] = [
  { name: 'a write hold', ...holding, ends: ['COMPLETED'] },
  {
    name: 'cancel in a write hold',
    ...holding,
    ends: ['CANCELLED'],
    turn: { at: inLastRounds, act: cancel },
  },
  {
    name: 'fail in a write hold',
    ...holding,
    ends: ['FAILED'],
    turn: { at: inLastRounds, act: spoil },
  },
  {
    name: 'cancel a write hold after the death',
    ...holding,
    ends: ['CANCELLED', 'COMPLETED'],
    whileDead: (migration) => migration.cancel().catch(onlyWhenRefused),
    borrows: { from: 'a write hold', places: fatefulCalls },
  },
];

/** A place that an earlier one has is not another one's as well. */
export const scenarios: readonly CrashScenario[] = [
  { name: 'complete', migration: shape, ends: ['COMPLETED'] },
  {
    name: 'complete and unblock',
    migration: { ...shape, options: { remove_source_write_block_on_success: true } },
    ends: ['COMPLETED'],
    borrows: { from: 'complete', places: /_block\/write/ },
  },
  {
    name: 'cancel while copying',
    migration: shape,
    ends: ['CANCELLED'],
    turn: { at: whileCopying, act: cancel },
  },
  {
    name: 'cancel under the block',
    migration: shape,
    ends: ['CANCELLED'],
    turn: { at: inLastRounds, act: cancel },
  },
  {
    name: 'a refused document',
    migration: {
      ...shape,
      target: { ...shape.target, mappings: { dynamic: 'strict', properties: { key: { type: 'keyword' } } } },
    },
    ends: ['FAILED'],
  },
  {
    name: 'fail under the block',
    migration: shape,
    ends: ['FAILED'],
    turn: { at: inLastRounds, act: spoil },
  },
  {
    name: 'cancel after the death',
    migration: shape,
    // Once the commit was asked for, a cancel is refused.
    ends: ['CANCELLED', 'COMPLETED'],
    whileDead: (migration) => migration.cancel().catch(onlyWhenRefused),
    borrows: { from: 'complete', places: fatefulCalls },
  },
  ...transformScenarios,
  ...filesScenarios,
  ...holdScenarios,
];

export function findScenario(name: string): CrashScenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`there is no scenario ${name}`);
  return found;
}
