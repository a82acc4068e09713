import { maxMappingDrift, maxMappingMarks, type MigrationRecord, type ShardRecord } from '@aosc/contract';
import {
  fieldsIndexedBy,
  findDrift,
  type FieldTexts,
  type MappingDrift,
  markDifferences,
  readFields,
} from '@aosc/domain';
import type { IndexDescription } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';

const maxNamed = 10;
type Seen = NonNullable<MigrationRecord['mappingsSeen']>;

export type Described = readonly [source: IndexDescription | undefined, target: IndexDescription | undefined];

/**
 * Notes in which fields the mappings differ at the start, so that later looks find only new differences. With very many
 * such fields the service looks for no drift.
 */
export async function markMappings(
  context: Pick<StepContext, 'source' | 'target' | 'signal'>,
  target: IndexDescription,
): Promise<Pick<MigrationRecord, 'mappingMarks' | 'mappingsSeen'>> {
  const source = await context.source.state.describe({ signal: context.signal });
  const mappingMarks = markDifferences(...(await readBoth(context)));
  if (source === undefined || mappingMarks.length > maxMappingMarks) return {};
  return {
    mappingMarks,
    mappingsSeen: { source: source.mappingVersion, target: target.mappingVersion, nearSwap: false },
  };
}

/**
 * Looks whether a mapping has changed since the last look, and notes in which fields the mappings differ by now. The
 * descriptions have the versions of the mappings, so this reads the mappings themselves only after a change.
 * @param lacking the shards whose copies lack operations, read after the descriptions. If all their snapshots are newer
 *   than the source's mapping, no document will bring a field that the target lacks, so the field is drift. undefined:
 *   documents that are still to be copied may bring fields
 * @returns the record with these notes; undefined: nothing has changed
 */
export async function noteMappings<R extends MigrationRecord>(
  context: Pick<StepContext, 'source' | 'target' | 'signal' | 'log' | 'clock'>,
  record: R,
  [source, target]: Described,
  lacking?: readonly ShardRecord[],
): Promise<R | undefined> {
  const { mappingMarks, mappingsSeen: seen, mappingDrift: before = [] } = record;
  if (mappingMarks === undefined) return undefined;
  // The steps that need an index report that it was replaced.
  if (source?.uuid !== record.sourceUuid || target?.uuid !== record.targetUuid) return undefined;
  const now = context.clock.now();
  const isSame = seen?.source === source.mappingVersion;
  const next = {
    source: source.mappingVersion,
    target: target.mappingVersion,
    sinceMillis: isSame ? (seen.sinceMillis ?? 0) : now,
  };
  const isCopied = hasBroughtFields(next, lacking, now);
  if (isSame && seen.target === next.target && (seen.nearSwap || !isCopied)) return undefined;
  const [ofSource, ofTarget] = await readBoth(context);
  // If the source has got a field since `source` was read, a later round brings that field to the target.
  const nearSwap =
    isCopied &&
    (await context.source.state.describe({ signal: context.signal }))?.mappingVersion === next.source;
  const drift = findDrift(ofSource, ofTarget, mappingMarks, nearSwap).slice(0, maxMappingDrift);
  const namesOf = (fields: readonly MappingDrift[]) => fields.map(({ field }) => field).join(', ');
  const noted = { ...record, mappingsSeen: { ...next, nearSwap }, mappingDrift: drift };
  if (drift.length > 0 && namesOf(drift) !== namesOf(before))
    context.log.warn('mapping_drift', describeDrift(noted), { fields: namesOf(drift) });
  return noted;
}

/** Whether rounds have brought each field of the source's mapping to the target that documents can bring. */
function hasBroughtFields(
  mappingsSeen: Pick<Seen, 'sinceMillis'>,
  lacking: readonly ShardRecord[] | undefined,
  now: number,
): boolean {
  const indexedBy = fieldsIndexedBy({ mappingsSeen }, now);
  return (
    lacking !== undefined &&
    now >= indexedBy &&
    lacking.every(({ snapshot }) => (snapshot?.openedAtMillis ?? 0) >= indexedBy)
  );
}

/** Whether the service does not know yet which fields the target lacks. */
export const awaitsFields = ({ mappingsSeen }: MigrationRecord): boolean => mappingsSeen?.nearSwap === false;

async function readBoth({
  source,
  target,
  signal,
}: Pick<StepContext, 'source' | 'target' | 'signal'>): Promise<[FieldTexts, FieldTexts]> {
  const [ofSource, ofTarget] = await Promise.all([
    source.state.readMapping({ signal }),
    target.state.readMapping({ signal }),
  ]);
  return [readFields(ofSource), readFields(ofTarget)];
}

/** @returns the reason to end the migration; undefined: there is no drift, or the migration only reports it */
export function findRefusedDrift(record: MigrationRecord): string | undefined {
  const { mappingDrift = [], options } = record;
  return options.failOnMappingDrift === true && mappingDrift.length > 0 ? describeDrift(record) : undefined;
}

function describeDrift({ sourceIndex, targetIndex, mappingDrift = [] }: MigrationRecord): string {
  const each = mappingDrift
    .slice(0, maxNamed)
    .map(({ field, source, target = 'nothing' }) => `[${field}] ${source} there, ${target} here`);
  return (
    `source index [${sourceIndex}] and target index [${targetIndex}] have come to map fields in different ways since the ` +
    `start: ${each.join('; ')}${mappingDrift.length > maxNamed ? '; …' : ''}. Queries on them answer otherwise after the ` +
    'swap. Map the fields that the target lacks; for the others start again into a target that maps them'
  );
}
