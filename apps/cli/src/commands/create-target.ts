import type { CreateTargetRequest, TargetCreation } from '@aosc/client';
import type { Flags } from '../flags';
import { plain, table, toJson } from '../output/text';
import type { Action } from '../session';
import { readObject, withPrefixes } from './flag-values';

/** `aosc create-target <source> <target>` */
export const createTargetAction: Action = async (session, [source = '', target = '']) => {
  const request = readRequest(session.flags, target);
  const { signal } = session.shell;
  const dryRun = session.isDryRun;
  const answer = await session.send((client) => client.createTarget(source, request, { dryRun, signal }));
  if (answer !== undefined) session.print(answer, () => describeCreation(answer));
  return 'done';
};

/** The API judges the values. @throws UsageError */
function readRequest(flags: Flags, target: string): CreateTargetRequest {
  const mappings = flags.text('mappings');
  return {
    target_index: target,
    ...readEdits(flags),
    ...(mappings !== undefined && { mappings: readObject('--mappings', mappings) }),
  };
}

/** What of a target differs from its source, beside the mapping. @throws UsageError */
export function readEdits(flags: Flags): Pick<CreateTargetRequest, 'number_of_shards' | 'settings'> {
  const shards = flags.number('shards');
  const settings = flags.text('settings');
  return {
    ...(shards !== undefined && { number_of_shards: shards }),
    ...(settings !== undefined && { settings: withPrefixes(readObject('--settings', settings)) as Settings }),
  };
}

/** The API judges the values, and names a wrong one in its answer. */
type Settings = NonNullable<CreateTargetRequest['settings']>;

function describeCreation(answer: TargetCreation): readonly string[] {
  const target = plain(answer.target_index);
  const source = plain(answer.source_index);
  const changes = answer.changes.map(({ path, source: before, target: after }) => [
    plain(path),
    `${describe(before)} -> ${describe(after)}`,
  ]);
  return [
    answer.created ? `created ${target} from ${source}` : `would create ${target} from ${source}`,
    `routing: ${answer.shard_routing_mode}${needs[answer.shard_routing_mode] ?? ''}`,
    ...(changes.length === 0 ? ['no difference'] : table(changes)),
    ...(answer.changes_truncated ? ['there are more differences than are listed'] : []),
    ...answer.left_out.map(({ setting, reason }) => `left out: ${plain(setting)} (${plain(reason)})`),
    ...(answer.unassigned === undefined ? [] : [`not all copies have a node: ${plain(answer.unassigned)}`]),
    ...answer.aliases.map(({ name }) => `alias of the source: ${plain(name)}`),
  ];
}

/** What a start into this target asks for. */
const needs: Readonly<Record<string, string>> = { BULK_API: ' (start it with --accept-data-loss)' };

const describe = (value: unknown): string => (value === undefined ? 'nothing' : plain(toJson(value)));
