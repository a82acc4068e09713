import { AoscError } from '@aosc/contract';
import { findForbiddenQuery } from '@aosc/domain';
import { isClusterError } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import { preconditionFailed } from './check-indices';
import type { StartContext } from './start-context';
import type { StartRequest } from './start-request';

/**
 * The target must be empty: counted after a refresh, so that what was written just now counts too.
 * @throws AoscError precondition_failed
 */
export async function checkTargetEmpty(
  { admin }: ApiDependencies,
  { target, call }: StartContext,
): Promise<void> {
  await admin.refresh(target.index, call);
  const documents = await admin.count(target.index, undefined, call);
  if (documents === 0) return;
  throw preconditionFailed(
    `target index [${target.index}] is not empty (${documents} docs); use an empty target index`,
  );
}

/**
 * Before anything is sent anywhere: a query runs with the service's rights, not with the caller's. The phrase is that
 * of a query that a cluster refuses, because clients match on it.
 * @throws AoscError illegal_argument
 */
export function requirePermittedQuery({ source, options }: StartRequest): void {
  const problem = findForbiddenQuery(options?.validation_query ?? {});
  if (problem === undefined) return;
  throw new AoscError('illegal_argument', `validation_query failed on index [${source}]: ${problem}`);
}

/**
 * The query that filters the counts at the cutover must work on both sides: it is run now. What OpenSearch says of it
 * is passed on, because a permitted query reads nothing but the index that it is sent to.
 * @throws AoscError illegal_argument
 */
export async function checkValidationQuery(
  { admin }: ApiDependencies,
  { source, target, options, call }: StartContext,
): Promise<void> {
  const { validationQuery } = options;
  if (validationQuery === undefined) return;
  for (const { index } of [source, target]) {
    try {
      await admin.count(index, validationQuery, call);
    } catch (error) {
      if (!isClusterError(error, 'invalid', 'too_large', 'too_many_clauses')) throw error;
      throw new AoscError(
        'illegal_argument',
        `validation_query failed on index [${index}]: ${error.message}`,
        { cause: error },
      );
    }
  }
}
