import { type ClusterError, type ClusterErrorKind, isClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';
import type { Settings } from './internal-settings';

/**
 * Puts settings on the target, all or none.
 * @param refusals kinds of errors by which the cluster refuses settings for good
 * @returns the refusal; undefined: they are put
 * @throws all other errors
 */
export async function putSettings(
  { target, signal, assertMandate }: Pick<StepContext, 'target' | 'signal' | 'assertMandate'>,
  settings: Settings,
  refusals: readonly [ClusterErrorKind, ...ClusterErrorKind[]],
): Promise<ClusterError | undefined> {
  assertMandate();
  try {
    await target.settings.put(Object.fromEntries(settings), { signal });
    return undefined;
  } catch (error) {
    if (!isClusterError(error, ...refusals)) throw error;
    return error;
  }
}
