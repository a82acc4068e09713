import { type MigrationIn, transformPipeline, transformPipelineName } from '@aosc/domain';
import type { StepContext } from '../step/context';

/**
 * Stores a migration's transform as a pipeline of the target's cluster.
 * @throws ClusterError 'invalid' when it does not compile any more
 */
export async function storeTransform(
  context: StepContext,
  { key, transform }: MigrationIn<'ACTIVE'>,
): Promise<void> {
  if (transform === undefined) return;
  const { rewritesIdentity, ...text } = transform;
  const pipeline = transformPipeline(text, { rewritesIdentity });
  context.assertMandate();
  await context.target.cluster.transforms.putPipeline(transformPipelineName(key), pipeline, {
    signal: context.signal,
  });
}
