import { AoscError } from '@aosc/contract';
import { findForbiddenQuery } from '@aosc/domain';
import { type Call, type ClusterError, type IndexStatePort, isClusterError } from '@aosc/engine';
import { timeLimit } from '@aosc/signals';
import type { ApiDependencies } from '../dependencies';
import type { Caller } from './caller';
import { preconditionFailed } from './check-indices';
import type { StartContext } from './checks';
import type { StartRequest } from './start-request';

/**
 * The target must be empty. The check counts after a refresh, so that recent writes count too.
 * @throws AoscError precondition_failed
 */
export async function checkTargetEmpty(
  { cluster }: ApiDependencies,
  { target, files, call }: StartContext,
): Promise<void> {
  if (files !== undefined) return;
  const { state } = cluster.index(target.index);
  await state.refresh(call);
  const documents = await state.count(undefined, call);
  if (documents === 0) return;
  throw preconditionFailed(
    `target index [${target.index}] is not empty (${documents} docs); use an empty target index`,
  );
}

/** The record keeps the query, and every status shows it. In UTF-16 units of its JSON. */
const maxQueryLength = 256 * 1024;

/**
 * Runs before the query is sent anywhere: it runs with the service's rights, not with the caller's. A credential
 * without limits may use every index anyway, and give the cluster scripts. Clients match on the phrase of a query that
 * a cluster refuses, so this refusal uses it.
 * @returns the request, which may be sent
 * @throws AoscError illegal_argument
 */
export function requirePermittedQuery(
  request: StartRequest,
  { isLimited }: Pick<Caller, 'isLimited'>,
): StartRequest {
  const { source, options } = request;
  const query = options?.validation_query ?? {};
  const isLong = JSON.stringify(query).length > maxQueryLength;
  const problem = isLong
    ? `it is longer than ${maxQueryLength} characters`
    : isLimited
      ? findForbiddenQuery(query)
      : undefined;
  if (problem === undefined) return request;
  throw new AoscError('illegal_argument', `validation_query failed on index [${source}]: ${problem}`);
}

/** At the cutover writes wait for the counts. */
const queryMs = 15_000;

/**
 * The query that filters the counts at the cutover must work on both sides, so it runs now. The answer passes on what
 * OpenSearch says of it, because a permitted query reads only the index that it is sent to. The check ends a limited
 * caller's query that takes too long: OpenSearch cancels a search whose connection closes.
 * @throws AoscError illegal_argument
 */
export async function checkValidationQuery(
  { cluster }: Pick<ApiDependencies, 'cluster'>,
  context: Pick<StartContext, 'source' | 'target' | 'files' | 'options' | 'call'>,
  { isLimited }: Pick<Caller, 'isLimited'>,
): Promise<void> {
  const { call, options } = context;
  const { validationQuery } = options;
  if (validationQuery === undefined) return;
  if (!isLimited) {
    await countBoth(cluster, context, validationQuery, call);
    return;
  }
  const limit = timeLimit(queryMs);
  try {
    const signal = AbortSignal.any([call.signal, limit]);
    await countBoth(cluster, context, validationQuery, { ...call, signal });
  } catch (cause) {
    if (!limit.aborted) throw cause;
    throw new AoscError(
      'illegal_argument',
      `validation_query failed: the counts were not done within ${queryMs} ms, and at the cutover writes wait for them`,
      { cause },
    );
  }
}

async function countBoth(
  cluster: ApiDependencies['cluster'],
  { source, target, files }: Pick<StartContext, 'source' | 'target' | 'files'>,
  validationQuery: NonNullable<StartContext['options']['validationQuery']>,
  call: Call,
): Promise<void> {
  for (const { index } of files === undefined ? [source, target] : [source]) {
    const { state } = cluster.index(index);
    try {
      await state.count(validationQuery, call);
    } catch (error) {
      if (!isClusterError(error) || !(await isQuerysFault(error, { state, validationQuery, call })))
        throw error;
      throw new AoscError(
        'illegal_argument',
        `validation_query failed on index [${index}]: ${error.message}`,
        { cause: error },
      );
    }
  }
}

/** A shard answers some queries with 500 (a year that no date has); the index then still answers without the query. */
async function isQuerysFault(
  error: ClusterError,
  asked: {
    readonly state: Pick<IndexStatePort, 'count'>;
    readonly validationQuery: object;
    readonly call: Call;
  },
): Promise<boolean> {
  const { state, validationQuery, call } = asked;
  if (['invalid', 'too_large', 'too_many_clauses'].includes(error.kind)) return true;
  if (error.details.status !== 500 || error.details.type === undefined) return false;
  try {
    await state.count(undefined, call);
  } catch {
    // Reports the query's own error.
    return false;
  }
  try {
    await state.count({ ...validationQuery }, call);
    return false;
  } catch (again) {
    // A node that was away for a moment is not the query's fault.
    return isClusterError(again) && again.details.status === 500;
  }
}
