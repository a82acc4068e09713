import { type MadeOfFiles, ownValue, type ResolvedOptions } from '@aosc/contract';
import { matchesAny } from '../../auth/index-pattern';

type Values = Readonly<Record<string, unknown>>;

/** OpenSearch sets them for each index itself, or does not pass them on. */
const ofEachIndex = [
  'index.creation_date',
  'index.history.uuid',
  'index.number_of_routing_shards',
  'index.number_of_shards',
  'index.number_of_virtual_shards',
  'index.provided_name',
  'index.resize.*',
  'index.routing.allocation.initial_recovery.*',
  'index.shrink.*',
  'index.uuid',
  'index.verified_before_close',
  'index.version.*',
];

/** A new index gets a default of the cluster for them before a resize takes over what the source has (3.7.0). */
const notTakenOver = ['index.number_of_replicas', 'index.replication.type'];

/**
 * What a resize has to set: it takes everything over from the source but for what the request names.
 * @param source flat settings of the source
 * @param wanted flat settings of the target as it is to be in the end
 */
export function resizeSettings(
  source: Values,
  wanted: Values,
  { transientTargetSettings }: Pick<ResolvedOptions, 'transientTargetSettings'>,
): Pick<MadeOfFiles, 'settings' | 'originals'> {
  const names = [...new Set([...Object.keys(source), ...Object.keys(wanted)])].filter(
    (name) => name.startsWith('index.') && !matchesAny(ofEachIndex, name),
  );
  const differing = names.filter(
    (name) => notTakenOver.includes(name) || textOf(source, name) !== textOf(wanted, name),
  );
  const transient = Object.entries(transientTargetSettings);
  return {
    settings: {
      // The source has it at that moment.
      'index.blocks.write': null,
      ...Object.fromEntries(differing.map((name) => [name, textOf(wanted, name)])),
      ...Object.fromEntries(transient.map(([name, value]) => [name, value === null ? null : String(value)])),
    },
    originals: Object.fromEntries(transient.map(([name]) => [name, textOf(wanted, name)])),
  };
}

function textOf(values: Values, name: string): string | null {
  const value = ownValue(values, name);
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
