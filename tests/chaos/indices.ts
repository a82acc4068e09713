import { createSourceIndex, createTargetIndex } from '@aosc/testkit';
import { searchReplicaSettings } from '../support/ground';
import { type Arena, atRest } from './arena';
import type { Plan } from './plan';

/** Routing shards of both. */
export const ringOfIndices = 48;

/** Makes source, and target where the start does not, as the plan has drawn them, and waits until every copy of them is there: they are to be again. */
export async function createIndices(
  arena: Arena,
  plan: Plan,
  names: { readonly source: string; readonly target: string; readonly alias: string },
): Promise<void> {
  const { http } = arena.environment;
  const { delayedTimeout, sourceShards, targetShards, targetReplicas } = plan;
  const common = {
    routingShards: ringOfIndices,
    settings: {
      ...(delayedTimeout !== undefined && { 'index.unassigned.node_left.delayed_timeout': delayedTimeout }),
      ...(plan.ground === 'search_replicas' && searchReplicaSettings),
    },
  };
  await createSourceIndex(http, {
    ...common,
    name: names.source,
    alias: names.alias,
    shards: sourceShards,
    replicas: 1,
  });
  if (!plan.byFiles) {
    await createTargetIndex(http, {
      ...common,
      name: names.target,
      shards: targetShards,
      replicas: targetReplicas,
    });
  }
  // The records, too: a copy of theirs that moves because of the new indices would be one fault more.
  await arena.ask('GET', `/_cluster/health?${atRest}`);
}
