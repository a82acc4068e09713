import type { MigrationRecord } from '@aosc/contract';
import { holdsWriters } from '@aosc/domain';
import { matchesAny, matchesPattern } from '../auth/index-pattern';

type Values = Readonly<Record<string, unknown>>;

/** These settings say which index it is, and not how it is made. */
const identity = [
  'index.uuid',
  'index.creation_date',
  'index.provided_name',
  'index.version.*',
  'index.history.uuid',
];

interface Rule {
  readonly pattern: string;
  readonly reason: string;
  /** The setting is left out only when it has this value. */
  readonly value?: string;
}

const madeFrom = 'it says what the source was made from';
const ofCluster = 'the cluster decides it for each new index';
const refusedByStart = 'a start refuses a target that has it';
const ofPlugins =
  'plugins begin to act on an index that has it (roll it over, delete it): set it after the swap';

const notInherited: readonly Rule[] = [
  { pattern: 'index.blocks.*', reason: 'a target takes writes' },
  { pattern: 'index.verified_before_close', reason: madeFrom },
  { pattern: 'index.resize.*', reason: madeFrom },
  { pattern: 'index.shrink.*', reason: madeFrom },
  { pattern: 'index.routing.allocation.initial_recovery.*', reason: madeFrom },
  { pattern: 'index.remote_store.*', reason: ofCluster },
  { pattern: 'index.append_only.enabled', reason: refusedByStart },
  {
    pattern: 'index.composite_index*',
    reason: 'it is for star trees, which count wrongly where documents change',
  },
  { pattern: 'index.derived_source.*', reason: refusedByStart },
  { pattern: 'index.ingestion_source.*', reason: refusedByStart },
  { pattern: 'index.searchable_snapshot.*', reason: refusedByStart },
  { pattern: 'index.store.type', value: 'remote_snapshot', reason: refusedByStart },
  {
    pattern: 'index.translog.durability',
    value: 'async',
    reason: `${refusedByStart}: set it after the swap`,
  },
  { pattern: 'index.translog.retention.*', reason: 'new indices do not have it any more' },
  { pattern: 'index.plugins.*', reason: ofPlugins },
  { pattern: 'index.opendistro.*', reason: ofPlugins },
];

/** A setting of the source that its target does not get. */
export interface LeftOut {
  readonly setting: string;
  readonly reason: string;
}

/** Without the settings that say which index it is: those differ between any two. */
export function withoutIdentity(settings: Values): Values {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !matchesAny(identity, name)));
}

/**
 * An index's settings without what a running migration has put on it for a while: the target that it fills has none or
 * other replicas, refreshes and pipelines, and a source whose writers are held takes no writes.
 * @param settings flat
 */
export function withoutBorrowed(
  settings: Values,
  uuid: string,
  migration: Pick<MigrationRecord, 'sourceUuid' | 'targetUuid' | 'targetOriginals' | 'writeHold'>,
): Values {
  const { sourceUuid, targetUuid, targetOriginals, writeHold } = migration;
  const own = {
    ...(uuid === targetUuid && targetOriginals),
    ...(uuid === sourceUuid && holdsWriters(migration) && writeHold?.originals),
  };
  return Object.fromEntries(Object.entries({ ...settings, ...own }).filter(([, value]) => value !== null));
}

/** The settings of a source that a new index made like it gets as well. @param settings flat */
export function inheritSettings(settings: Values): {
  readonly inherited: Values;
  readonly leftOut: readonly LeftOut[];
} {
  const leftOut: LeftOut[] = [];
  const inherited = Object.entries(withoutIdentity(settings)).filter(([setting, value]) => {
    const reason = reasonAgainst(setting, value);
    if (reason !== undefined) leftOut.push({ setting, reason });
    return reason === undefined;
  });
  return { inherited: Object.fromEntries(inherited), leftOut };
}

function reasonAgainst(setting: string, value: unknown): string | undefined {
  // OpenSearch keeps settings that it can't read after an update as `archived.*`.
  if (!setting.startsWith('index.')) return 'this version of OpenSearch does not know it';
  const rule = notInherited.find(
    ({ pattern, value: only }) =>
      matchesPattern(pattern, setting) && (only === undefined || String(value).toLowerCase() === only),
  );
  return rule?.reason;
}
