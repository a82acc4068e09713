import { documentKeyString } from '@aosc/domain';
import type { Difference } from '@aosc/contract';
import type { DocumentKey } from '../ports/documents';
import type { IndexPorts } from '../ports/index-ports';
import { inRequests } from '../shard/read/chunks';
import { withOpenShards } from './open-shards';
import type { VerifyReader } from './reader';

/** A missing document whose id the target has under a routing that the source does not have is one difference, not two. */
export async function nameRouting(
  reader: VerifyReader,
  differences: readonly Difference[],
): Promise<readonly Difference[]> {
  const { source, target, migration } = reader.context;
  const lone = differences.filter(({ kind }) => kind === 'missing' || kind === 'extra');
  if (lone.length === 0 || migration.transform?.rewritesIdentity === true) return differences;
  const rerouted = new Set<string>();
  for (const part of inRequests([...new Set(lone.map(({ id }) => id))])) {
    const ofSource = await keysWith(reader, source, migration.sourceShardCount, part);
    const ofTarget = await keysWith(reader, target, migration.targetShardCount, part);
    const foreign = new Set(without(ofTarget, ofSource));
    for (const id of without(ofSource, ofTarget)) if (foreign.has(id)) rerouted.add(id);
  }
  return differences.flatMap((difference) => {
    if (!rerouted.has(difference.id)) return [difference];
    if (difference.kind === 'extra') return [];
    return [difference.kind === 'missing' ? { ...difference, kind: 'routing' } : difference];
  });
}

export const idsOf = (keys: readonly DocumentKey[]): readonly string[] => [
  ...new Set(keys.map(({ id }) => id)),
];

/** Ids of the keys that only the first one has. */
function without(
  one: ReadonlyMap<string, DocumentKey>,
  other: ReadonlyMap<string, DocumentKey>,
): readonly string[] {
  return idsOf([...one].flatMap(([name, key]) => (other.has(name) ? [] : [key])));
}

/** All documents with these ids. @returns their keys, by `documentKeyString` */
async function keysWith(
  reader: VerifyReader,
  index: IndexPorts,
  shardCount: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DocumentKey>> {
  const shards = Array.from({ length: shardCount }, (_, shard) => shard);
  return withOpenShards(reader, index, shards, async (open) => {
    const found = new Map<string, DocumentKey>();
    for (const { pitId } of open) {
      const selection = { kind: 'ids', ids } as const;
      for await (const heads of reader.readHeads(index, { pitId, selection })) {
        for (const head of heads) found.set(documentKeyString(head), head);
      }
    }
    return found;
  });
}
