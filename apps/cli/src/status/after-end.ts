import {
  type ClusterRequest,
  flagsOf,
  type MigrationIndices,
  type MigrationStatus,
  tasksAfter,
  withoutFlag,
} from '@aosc/client';
import { quote } from '../request/curl';

/** Something that is left to do after a migration, and the commands for it. */
interface NextStep {
  readonly text: string;
  readonly commands: readonly string[];
}

/** What is left to do after the end of a migration, from what the cluster has now, and how to start it again. */
export function stepsAfterEnd(status: MigrationStatus, now: MigrationIndices): readonly NextStep[] {
  const tasks = tasksAfter(status, now).map(({ text, request }) => ({
    text,
    commands: request === undefined ? [] : [toCommand(request)],
  }));
  return status.phase === 'COMPLETED' ? tasks : [...tasks, startAgain(status)];
}

/** OpenSearch takes this request, not the API: `$AOSC_OPENSEARCH_URL` stands for its address. */
function toCommand({ method, path, body }: ClusterRequest): string {
  const content = body === undefined ? '' : ` -H 'content-type: application/json' -d ${quote(body)}`;
  return `curl -X ${method} "$AOSC_OPENSEARCH_URL"${quote(path)}${content}`;
}

function startAgain(status: MigrationStatus): NextStep {
  const { source_index: source, target_index: target, alias, options, transform_script: script } = status;
  const flags = [
    ...flagsOf(options),
    ...(script?.id === undefined ? [] : [['--stored-script', script.id]]),
    ...(script?.id === undefined || script.params === undefined
      ? []
      : [['--script-params', JSON.stringify(script.params)]]),
  ];
  const given = flags.map((words) => words.map(quote).join(' ')).join(' ');
  const others = notInCommand(status);
  const defaults = withoutFlag(options);
  if (others.length > 0) {
    return {
      text: `To start again, give what it had: ${[...others, ...defaults].join(', ')}, and ${given}`,
      commands: [],
    };
  }
  return {
    text:
      defaults.length === 0
        ? 'To start again:'
        : `To start again, if aosc.defaults has ${defaults.join(' and ')} (no flag says it):`,
    commands: [
      `aosc create-target ${quote(source)} ${quote(target)} --shards ${targetShards(status)}`,
      `aosc start ${quote(source)} ${quote(target)} --alias ${quote(alias)} ${given} --watch`,
    ],
  };
}

/** What the start had and a command can't have: an inline script may be long or secret, and a status may lack it. */
const notInCommand = ({ options, transform_script: script }: MigrationStatus): readonly string[] => [
  ...(script === undefined || (script.id !== undefined && script.apply_to_deletes !== true)
    ? []
    : ['the same transform script']),
  ...(options.copy === 'files' || options.copy === 'auto'
    ? ['the same --shards, --settings and --mappings of the target, which the start makes']
    : []),
];

/** The status does not say how many shards the target has, so the user fills in the number. */
const targetShards = ({ shard_routing_mode: mode, shards }: MigrationStatus): string =>
  mode === 'SAME_SHARD' ? String(Object.keys(shards).length) : 'N';
