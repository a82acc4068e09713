import { maxMappingDrift, maxMappingMarks, type MigrationRecord } from '@aosc/contract';
import { findDrift, type FieldTexts, type MappingDrift, markDifferences, readFields } from '@aosc/domain';
import type { IndexDescription } from '../../ports/index-state-port';
import type { StepContext } from '../step/context';

const maxNamed = 10;

interface Described {
  readonly source: IndexDescription | undefined;
  readonly target: IndexDescription | undefined;
}

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
  return { mappingMarks, mappingsSeen: versionsOf({ source, target }, false) };
}

/**
 * Looks whether a mapping has changed since the last look, and notes in which fields the mappings differ by now. The
 * descriptions have the versions of the mappings, so the mappings themselves are read only after a change.
 * @param nearSwap the target holds all documents by now, so a field that it still lacks stays missing
 * @returns the record with these notes; undefined: nothing has changed
 */
export async function noteMappings<R extends MigrationRecord>(
  context: Pick<StepContext, 'source' | 'target' | 'signal' | 'log'>,
  record: R,
  { source, target }: Described,
  nearSwap: boolean,
): Promise<R | undefined> {
  const { mappingMarks, mappingsSeen: seen, mappingDrift: before = [] } = record;
  if (mappingMarks === undefined) return undefined;
  // An index that was replaced is not compared: the steps that need it report that.
  if (source?.uuid !== record.sourceUuid || target?.uuid !== record.targetUuid) return undefined;
  const now = versionsOf({ source, target }, nearSwap);
  if (seen?.source === now.source && seen.target === now.target && seen.nearSwap === nearSwap)
    return undefined;
  const drift = findDrift(...(await readBoth(context)), mappingMarks, nearSwap).slice(0, maxMappingDrift);
  const namesOf = (fields: readonly MappingDrift[]) => fields.map(({ field }) => field).join(', ');
  const noted = { ...record, mappingsSeen: now, mappingDrift: drift };
  if (drift.length > 0 && namesOf(drift) !== namesOf(before))
    context.log.warn('mapping_drift', describeDrift(noted), { fields: namesOf(drift) });
  return noted;
}

function versionsOf(
  { source, target }: { readonly source: IndexDescription; readonly target: IndexDescription },
  nearSwap: boolean,
): NonNullable<MigrationRecord['mappingsSeen']> {
  return { source: source.mappingVersion, target: target.mappingVersion, nearSwap };
}

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
