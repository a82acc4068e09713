import {
  fencePrefix,
  joinedTransformPipeline,
  type MigrationIn,
  transformPipeline,
  transformPipelineName,
} from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';

/**
 * Stores a migration's transform as a pipeline of the target's cluster: as one script where that compiles, else as two.
 * @throws ClusterError 'invalid' when the transform does not compile any more
 */
export async function storeTransform(
  context: StepContext,
  { key, transform }: MigrationIn<'ACTIVE'>,
): Promise<void> {
  if (transform === undefined) return;
  const { rewritesIdentity, ...text } = transform;
  const form = { rewritesIdentity, fences: fencePrefix(key) };
  const { transforms } = context.target.cluster;
  const name = transformPipelineName(key);
  const { signal } = context;
  const joined = joinedTransformPipeline(text, form);
  context.assertMandate();
  if (joined !== undefined) {
    try {
      await transforms.putPipeline(name, joined, { signal });
      return;
    } catch (error) {
      if (!isClusterError(error, 'invalid')) throw error;
    }
  }
  context.assertMandate();
  await transforms.putPipeline(name, transformPipeline(text, form), { signal });
}
