import type { MigrationStatus } from '@aosc/client';
import { quote } from '../request/curl';

/** Something that is left to do after a migration, and the commands for it. */
export interface NextStep {
  readonly text: string;
  readonly commands: readonly string[];
}

/**
 * What is left to do after the end of a migration, from its status: what has changed since, the API does not know.
 * OpenSearch does it, not the API: `$AOSC_OPENSEARCH_URL` stands for its address.
 */
export function stepsAfterEnd(status: MigrationStatus): readonly NextStep[] {
  if (status.phase === 'COMPLETED') return afterCompletion(status);
  return status.phase === 'CANCELLED' || status.phase === 'FAILED' ? afterNoSwap(status) : [];
}

function afterCompletion(status: MigrationStatus): readonly NextStep[] {
  const { source_index: source, alias, aliases_left_behind: left = [], meta } = status;
  const isBlocked = meta['write_block.applied'] === 'true';
  return [
    ...(left.length > 0
      ? [
          {
            text: `These aliases were left on ${source}; move them with _aliases: ${left.join(', ')}`,
            commands: [],
          },
        ]
      : []),
    ...(isBlocked
      ? [
          {
            text: `${source} was left with a write block, so that no application writes to it by its name. To lift it:`,
            commands: [settingsOf(source, '{"index.blocks.write": null}')],
          },
        ]
      : []),
    {
      text: `When the applications have shown that ${alias} answers as it should, delete ${source}:`,
      commands: [deleteOf(source)],
    },
  ];
}

function afterNoSwap(status: MigrationStatus): readonly NextStep[] {
  const { source_index: source, target_index: target, alias, meta } = status;
  return [
    ...(meta['write_block.applied'] === 'true'
      ? [
          {
            text: `${source} is still write-blocked: applications can not write. Find out why, then lift it:`,
            commands: [settingsOf(source, '{"index.blocks.write": null}')],
          },
        ]
      : []),
    {
      text: `${target} holds a part of the documents, and a start takes an empty target only. Delete it:`,
      commands: [deleteOf(target)],
    },
    {
      text: `To start again${status.phase === 'FAILED' ? ', when what the error names is put right' : ''}:`,
      commands: [
        `aosc create-target ${quote(source)} ${quote(target)} --shards ${targetShards(status)}`,
        `aosc start ${quote(source)} ${quote(target)} --alias ${quote(alias)} --watch`,
      ],
    },
  ];
}

/** The status does not say how many shards the target has: the user does. */
const targetShards = ({ shard_routing_mode: mode, shards }: MigrationStatus): string =>
  mode === 'SAME_SHARD' ? String(Object.keys(shards).length) : 'N';

const deleteOf = (index: string): string => `curl -X DELETE "$AOSC_OPENSEARCH_URL"/${pathPart(index)}`;

const settingsOf = (index: string, body: string): string =>
  `curl -X PUT "$AOSC_OPENSEARCH_URL"/${pathPart(index)}/_settings -H 'content-type: application/json' -d ${quote(body)}`;

const pathPart = (index: string): string => quote(encodeURIComponent(index));
