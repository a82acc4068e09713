import { AoscError } from '@aosc/contract';
import type { Call, IndexDescription } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from './caller';
import { indexNotFound } from './index-not-found';
import { isIndexName } from './index-names';
import type { StartRequest } from './start-request';

/**
 * Both names must be those of open indices. An alias or a data stream is none, and OpenSearch refuses aliases on a
 * stream's backing indices: the swap moves an alias from one index to another.
 * @throws AoscError illegal_argument, precondition_failed
 */
export async function describeIndices(
  { cluster }: ApiDependencies,
  request: StartRequest,
  caller: Caller,
  call: Call,
): Promise<{ readonly source: IndexDescription; readonly target: IndexDescription }> {
  const describe = (name: string) =>
    isIndexName(name) ? cluster.index(name).state.describe(call) : Promise.resolve(undefined);
  const [source, target] = await Promise.all([describe(request.source), describe(request.target)]);
  const notFound = (role: 'source' | 'target') =>
    indexNotFound({ cluster }, { role, name: request[role] }, caller, call);
  if (source === undefined) throw await notFound('source');
  if (target === undefined) throw await notFound('target');
  for (const [role, { index, open, dataStream }] of [
    ['source', source],
    ['target', target],
  ] as const) {
    if (!open) throw preconditionFailed(`${role} index [${index}] is closed; open it first`);
    if (dataStream !== undefined) {
      throw preconditionFailed(
        `${role} index [${index}] is a backing index of data stream [${dataStream}], which can't have an alias to swap; ` +
          'migrate a plain index',
      );
    }
  }
  return { source, target };
}

export function preconditionFailed(messages: string): AoscError {
  return new AoscError('precondition_failed', `Migration precondition check failed: ${messages}`);
}

/**
 * An early look at what the claims decide in the end, so that a second start is told so, and not that its target
 * is not empty.
 * @throws AoscError conflict
 */
export async function checkNotInUse(
  { store }: ApiDependencies,
  request: StartRequest,
  caller: Caller,
  call: Call,
): Promise<void> {
  for (const name of [request.source, request.target]) {
    const running = await store.findMigrationUsing(name, call);
    if (running !== undefined) throw indexInUse(request, name, running, caller);
  }
}

/** @param holder the migration that uses the index. Its id is made of index names: limited callers are not told. */
export function indexInUse(
  request: StartRequest,
  name: string,
  holder: { readonly migrationId: string },
  { isLimited }: Pick<Caller, 'isLimited'>,
): AoscError {
  const reason =
    name === request.source
      ? `Active migration already exists for source index: ${name}`
      : `Active migration already exists for target index: ${name}`;
  return new AoscError('conflict', isLimited ? reason : `${reason} [${holder.migrationId}]`);
}
