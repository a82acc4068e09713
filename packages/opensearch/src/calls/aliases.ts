import { byName, createParser } from '@aosc/contract';
import { type AliasPort, type AliasAction, type Call, ClusterError, isClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { Asks } from '../bind-calls';
import { requestJson, type OpenSearchClient } from '../client/request';

/** index -> aliases */
const parseAliases = createParser(
  'answer of _alias',
  byName(Type.Object({ aliases: byName(Type.Object({})) })),
);
const parseAcknowledged = createParser('answer of _aliases', Type.Object({ acknowledged: Type.Boolean() }));

/** `GET _alias`: the open indices of the cluster with their aliases. A user who may swap may also call this. */
export async function listIndices(
  client: OpenSearchClient,
  call: Call,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const query = { expand_wildcards: 'open' };
  const found = await requestJson(client, { method: 'GET', path: '/_alias', query }, parseAliases, call);
  return new Map(Object.entries(found).map(([name, { aliases }]) => [name, Object.keys(aliases)]));
}

/**
 * `POST _aliases`: all actions or none. The removal of a missing alias fails by default; with `must_exist: false`
 * OpenSearch skips it. An "unacknowledged" change is committed all the same, but not yet applied everywhere.
 */
export const updateAliases: Asks<AliasPort['update']> = async (client, actions, call) => {
  const body = `{"actions":[${actions.map(writeAction).join(',')}]}`;
  try {
    const what = { method: 'POST', path: '/_aliases', body } as const;
    const { acknowledged } = await requestJson(client, what, parseAcknowledged, call);
    return { type: acknowledged ? 'acknowledged' : 'unacknowledged' };
  } catch (error) {
    if (isClusterError(error, 'not_found') && isMissing(error))
      return { type: 'missing', reason: error.message };
    if (saysAlias(error)) return { type: 'missing', reason: error.message };
    if (actions.length > 0 && saysEmpty(error)) {
      const reason = `${error.message} (the cluster manager has changed)`;
      throw new ClusterError('transient', reason, error.details, { cause: error });
    }
    throw error;
  }
};

/**
 * A manager that stands down while it publishes the change passes the request on to the next one, but has already taken
 * the actions out of it (`request.aliasActions().clear()` in TransportIndicesAliasesAction). The next manager refuses
 * the request as empty, and it is unknown whether the first one's change was committed.
 */
function saysEmpty(error: unknown): error is ClusterError {
  return isClusterError(error, 'invalid') && error.message.includes('Must specify at least one alias action');
}

/**
 * The index is gone, and its name is now an alias of other indices: no action goes through an alias
 * (`IndexNameExpressionResolver`, `TransportIndicesAliasesAction`), so nothing was changed.
 */
function saysAlias(error: unknown): error is ClusterError {
  return (
    isClusterError(error, 'invalid') &&
    error.details.type === 'illegal_argument_exception' &&
    error.message.includes('matches an alias, specify the corresponding concrete indices instead')
  );
}

/** The properties go into the body as the text they are. */
function writeAction(action: AliasAction): string {
  if (!('add' in action)) return JSON.stringify(action);
  const { properties, ...named } = action.add;
  const own = properties?.json.trim().slice(1, -1).trim() ?? '';
  return `{"add":${JSON.stringify(named).slice(0, -1)}${own === '' ? '' : `,${own}`}}}`;
}

/** Only OpenSearch's own 404 proves that nothing was changed; a proxy's proves nothing. */
function isMissing({ details }: ClusterError): boolean {
  return details.type === 'aliases_not_found_exception' || details.type === 'index_not_found_exception';
}
