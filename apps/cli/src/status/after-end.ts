import { type ClusterRequest, type MigrationIndices, type MigrationStatus, tasksAfter } from '@aosc/client';
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
  const { source_index: source, target_index: target, alias, options } = status;
  const consent = options.accept_data_loss_if_custom_routing_is_used ? ' --accept-data-loss' : '';
  return {
    text: 'To start again:',
    commands: [
      `aosc create-target ${quote(source)} ${quote(target)} --shards ${targetShards(status)}`,
      `aosc start ${quote(source)} ${quote(target)} --alias ${quote(alias)}${consent} --watch`,
    ],
  };
}

/** The status does not say how many shards the target has, so the user fills in the number. */
const targetShards = ({ shard_routing_mode: mode, shards }: MigrationStatus): string =>
  mode === 'SAME_SHARD' ? String(Object.keys(shards).length) : 'N';
