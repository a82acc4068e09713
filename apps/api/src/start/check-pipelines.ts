import { ownValue } from '@aosc/contract';
import { type IndexDescription, isClusterError } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import { preconditionFailed } from './check-indices';
import type { StartContext } from './checks';

export const pipelineSettings = ['index.default_pipeline', 'index.final_pipeline'] as const;

/** @returns the pipeline that the setting names; undefined: none */
export function pipelineOf(
  { settings }: Pick<IndexDescription, 'settings'>,
  name: (typeof pipelineSettings)[number],
): string | undefined {
  const pipeline = ownValue(settings, name);
  return pipeline === '_none' ? undefined : pipeline;
}

/**
 * Every write through the alias goes through the pipelines of the target after the swap, and is refused without them.
 * A user that may not read pipelines leaves the question to the operator.
 * @throws AoscError precondition_failed when the cluster has no pipeline of that name
 */
export async function checkPipelines(
  { hasPipeline }: Pick<ApiDependencies, 'hasPipeline'>,
  { target, call }: Pick<StartContext, 'target' | 'call'>,
): Promise<void> {
  for (const name of pipelineSettings) {
    const pipeline = pipelineOf(target, name);
    if (pipeline === undefined || (await isThere(pipeline))) continue;
    throw preconditionFailed(
      `[${name}] of target index [${target.index}] is [${pipeline}], and the cluster has no such pipeline: all writes ` +
        'after the swap would be refused. Put the pipeline, or set another one in the target',
    );
  }

  async function isThere(pipeline: string): Promise<boolean> {
    try {
      return await hasPipeline(pipeline, call);
    } catch (error) {
      if (isClusterError(error, 'forbidden')) return true;
      throw error;
    }
  }
}
