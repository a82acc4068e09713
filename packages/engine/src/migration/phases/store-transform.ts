import {
  fencePrefix,
  joinedTransformPipeline,
  type MigrationIn,
  type PipelineDefinition,
  separateTransformPipeline,
  transformPipelineName,
} from '@aosc/domain';
import { isClusterError } from '../../ports/cluster-error';
import type { StepContext } from '../step/context';

/**
 * Stores a migration's transform as a pipeline of the target's cluster: as one script where that compiles, else as two.
 * @throws ClusterError 'invalid' when neither does
 */
export async function storeTransform(
  context: StepContext,
  { key, transform }: MigrationIn<'ACTIVE'>,
): Promise<void> {
  if (transform === undefined) return;
  const { rewritesIdentity, ...text } = transform;
  const form = { rewritesIdentity, fences: fencePrefix(key) };
  const { signal } = context;
  const put = async (pipeline: PipelineDefinition): Promise<void> => {
    context.assertMandate();
    await context.target.cluster.transforms.putPipeline(transformPipelineName(key), pipeline, { signal });
  };
  try {
    await put(joinedTransformPipeline(text, form));
  } catch (error) {
    const separate = separateTransformPipeline(text, form);
    if (separate === undefined || !isClusterError(error, 'invalid')) throw error;
    await put(separate);
  }
}
