import { createParser, maybe } from '@aosc/contract';
import {
  type FilesPort,
  type SettingsPort,
  type TransformPort,
  type Call,
  ClusterError,
  isIndexMissing,
  instead,
} from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { Asks, AsksOf } from '../bind-calls';
import { request, requestJson, type OpenSearchClient, type SendRequest } from '../client/request';
import { aliasPath, indexPath, pipelinePath } from '../index-path';

const parse = createParser('answer to a change', Type.Object({ acknowledged: Type.Boolean() }));

const parseBlock = createParser(
  'answer of _block',
  Type.Object({
    acknowledged: Type.Boolean(),
    shards_acknowledged: Type.Boolean(),
    indices: Type.Array(
      Type.Object({
        name: Type.String(),
        blocked: maybe(Type.Boolean()),
        exception: maybe(Type.Unknown()),
        failed_shards: maybe(Type.Array(Type.Unknown())),
      }),
    ),
  }),
);

/**
 * A change that the cluster manager makes.
 * @throws ClusterError 'transient' when not every node has applied it in time: it is made, call it again
 */
async function change(client: OpenSearchClient, what: SendRequest, call: Call): Promise<void> {
  const { acknowledged } = await requestJson(client, what, parse, call);
  if (acknowledged) return;
  throw new ClusterError('transient', `${what.method} ${what.path}: not acknowledged by every node`);
}

/** Several processes may make the same index at once: all but the first get "exists". */
function unlessExists(make: () => Promise<unknown>): Promise<'created' | 'exists'> {
  return make().then(() => 'created' as const, instead('exists', 'conflict'));
}

/**
 * `PUT {index}`.
 * @param body settings, mappings, aliases
 * @throws ClusterError 'transient' when not every node has acknowledged in time: call it again
 */
export function createIndex(
  client: OpenSearchClient,
  index: string,
  body: Readonly<Record<string, unknown>>,
  call: Call,
): Promise<'created' | 'exists'> {
  const what = { method: 'PUT', path: `/${indexPath(index)}`, body: JSON.stringify(body) } as const;
  return unlessExists(() => change(client, what, call));
}

/**
 * `PUT {source}/_split/{target}` or `_clone`. Everything that the source has set comes along, and `null` leaves a setting
 * out. An answer that not every node has acknowledged is one: the cluster manager has made the index.
 */
export const resizeIndex: AsksOf<FilesPort['resize']> = (
  client,
  target,
  { source, kind, settings, alias },
  call,
) => {
  const path = `/${indexPath(source)}/_${kind}/${indexPath(target)}`;
  const body = JSON.stringify({ settings, aliases: { [alias]: { is_hidden: true } } });
  const what = { method: 'PUT', path, body, query: { wait_for_active_shards: 0 } } as const;
  return unlessExists(() => requestJson(client, what, parse, call));
};

/** `DELETE {index}`. */
export const removeIndex: AsksOf<FilesPort['remove']> = async (client, index, call) => {
  const what = { method: 'DELETE', path: `/${indexPath(index)}` } as const;
  await requestJson(client, what, parse, call).catch(instead(undefined, isIndexMissing));
};

/** The path of an index, or of an alias that stands for it. */
const pathOf = (index: string, through: string | undefined): string =>
  `/${through === undefined ? indexPath(index) : aliasPath(through)}`;

/**
 * `PUT {index}/_settings`; null sets a setting back to its default.
 * @param through an alias of the index
 * @throws ClusterError 'transient' when not every node has applied it in time: it is stored, put it again
 */
export const putSettings: AsksOf<SettingsPort['put']> = (client, index, settings, call, through) => {
  const path = `${pathOf(index, through)}/_settings`;
  return change(client, { method: 'PUT', path, body: JSON.stringify(settings) }, call);
};

/**
 * `PUT {index}/_block/write`: sets the block and waits, shard by shard, until no write holds an operation permit. Only
 * `blocked: true` for the index proves that. A second call on a blocked index answers `shards_acknowledged: false,
 * indices: []`, which proves nothing.
 * @param through an alias of the index; the answer names the index behind it
 */
export const blockWrites: AsksOf<SettingsPort['blockWrites']> = async (client, index, call, through) => {
  const path = `${pathOf(index, through)}/_block/write`;
  const answer = await requestJson(client, { method: 'PUT', path }, parseBlock, call);
  const entry = answer.indices.length === 1 ? answer.indices[0] : undefined;
  const confirmed =
    answer.acknowledged &&
    answer.shards_acknowledged &&
    entry?.name === index &&
    entry.blocked === true &&
    entry.exception === undefined &&
    entry.failed_shards === undefined;
  return { confirmed };
};

/**
 * `PUT _ingest/pipeline/{name}`: OpenSearch compiles the scripts and refuses a pipeline whose script does not compile.
 * @throws ClusterError 'invalid' with the compiler's message; 'transient' when not every node knows it in time
 */
export const putPipeline: Asks<TransformPort['putPipeline']> = (client, name, pipeline, call) => {
  const body = JSON.stringify(pipeline);
  return change(client, { method: 'PUT', path: pipelinePath(name), body }, call);
};

/** `DELETE _ingest/pipeline/{name}`; a missing pipeline counts as deleted. */
export const deletePipeline: Asks<TransformPort['deletePipeline']> = async (client, name, call) => {
  await request(client, { method: 'DELETE', path: pipelinePath(name) }, call, [404]);
};
