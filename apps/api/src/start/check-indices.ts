import { AoscError } from '@aosc/contract';
import { type Call, findIndexBlocks, type IndexDescription, isClusterError } from '@aosc/engine';
import type { Caller } from './caller';
import { isAliasName, isIndexName } from './name-problems';
import type { StartRequest } from './start-request';
import type { ApiDependencies } from '../dependencies';

/** Names in one answer: an alias may be on thousands of indices. */
const maxNames = 20;

/**
 * The error for a name that is no index. For an alias it names the alias's indices, as far as the caller may know them:
 * the caller meant one of those.
 */
export async function indexNotFound(
  { cluster }: Pick<ApiDependencies, 'cluster'>,
  { role, name }: { readonly role: 'source' | 'target'; readonly name: string },
  caller: Pick<Caller, 'mayUseIndex'>,
  call: Call,
): Promise<AoscError> {
  const holders = isAliasName(name) ? await cluster.aliases.indicesOf(name, call) : [];
  const known = holders.filter((index) => caller.mayUseIndex(index)).toSorted();
  const hint = known.length === 0 ? '' : `: ${name} is an alias of ${nameSome(known)}; name the index itself`;
  return new AoscError('illegal_argument', `${role} index [${name}] not found${hint}`);
}

/** The first names as a list, and how many more there are. */
export function nameSome(names: readonly string[]): string {
  const more = names.length - maxNames;
  return names.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * The name must be that of an open index, not of an alias or a data stream: the swap moves an alias from one index to
 * another, and OpenSearch refuses aliases on a stream's backing indices.
 * @throws AoscError illegal_argument, precondition_failed
 */
export async function describeIndex(
  { cluster }: Pick<ApiDependencies, 'cluster'>,
  { role, name }: { readonly role: 'source' | 'target'; readonly name: string },
  caller: Caller,
  call: Call,
): Promise<IndexDescription> {
  const described = isIndexName(name)
    ? await cluster.index(name).state.describe(call).catch(refuseUnseen(role, name))
    : undefined;
  if (described === undefined) throw await indexNotFound({ cluster }, { role, name }, caller, call);
  const { index, open, dataStream, settings } = described;
  if (!open) throw preconditionFailed(`${role} index [${index}] is closed; open it first`);
  // Without primaries no later look gets an answer.
  const [first] = settings['index.blocks.search_only'] === 'true' ? findIndexBlocks(role, described) : [];
  if (first !== undefined) throw preconditionFailed(`${first.text}; ${first.remedy}`);
  if (dataStream !== undefined) {
    throw preconditionFailed(
      `${role} index [${index}] is a backing index of data stream [${dataStream}], which can't have an alias to swap; ` +
        'migrate a plain index',
    );
  }
  return described;
}

/** Not even the description of an index with a block of metadata can be read. */
export const refuseUnseen =
  (role: string, name: string) =>
  (error: unknown): never => {
    if (!isClusterError(error, 'blocked')) throw error;
    throw preconditionFailed(
      `${role} index [${name}] can't be looked at; remove the block first, with PUT /${name}/_settings and ` +
        `{"index.blocks.metadata": null}: ${error.message}`,
    );
  };

export function preconditionFailed(messages: string): AoscError {
  return new AoscError('precondition_failed', `Migration precondition check failed: ${messages}`);
}

/**
 * An early look at what the claims decide in the end, so that a second start fails for this reason, and not because its
 * target is not empty.
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

/** @param holder the migration that uses the index. Its id is made of index names, so limited callers do not see it. */
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
