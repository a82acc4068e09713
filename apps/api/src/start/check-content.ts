import { AoscError } from '@aosc/contract';
import { isClusterError } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import { preconditionFailed } from './check-indices';
import type { StartContext } from './start-context';

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
 * The query that filters the counts at the cutover must work on both sides: it is run now.
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
      if (!isClusterError(error, 'invalid', 'too_large')) throw error;
      throw new AoscError(
        'illegal_argument',
        `validation_query failed on index [${index}]: ${error.message}`,
        { cause: error },
      );
    }
  }
}
