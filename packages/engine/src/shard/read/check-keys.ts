import {
  documentsOnShards,
  evaluateKey,
  hasReplacement,
  type IndexRoutingShape,
  mayMislead,
  shardOf,
  determinesTargetShard,
} from '@aosc/domain';
import type { DocumentKey, TransformedDocument } from '../../ports/documents';
import { ShardFailedError } from '../errors';
import type { ShardSession } from '../session/shard-session';
import { describeId, keyOf } from '../write/document-names';

const whatHappened =
  'OpenSearch shows U+FFFD for half of a surrogate pair, which is left of a text that was cut inside a character';

/**
 * Checks that an application finds documents in the target when they are written there under the keys that a search of
 * the source shows. OpenSearch routes by the key that the application sent, and may show another key. Every document
 * that is written to the target has passed this check, and so has every document that a split of files places by its
 * key.
 * @throws ShardFailedError that names the first document which fails the check
 */
export async function checkKeys(session: ShardSession, keys: readonly DocumentKey[]): Promise<void> {
  const { migration, shard } = session.context;
  const source = { shardCount: migration.sourceShardCount, ...migration.sourceRouting };
  for (const key of keys) {
    const evidence = evaluateKey(key, shard, source);
    if (evidence === 'whole') continue;
    if (evidence === 'foreign') throw new ShardFailedError(describeForeign(session, key, source));
    // `checkTransformed` looks where such a transform has put the document.
    if (migration.transform?.rewritesIdentity === true) continue;
    const target = await session.targetShape();
    if (!mayMislead(key, target) || determinesTargetShard(source, target)) continue;
    throw new ShardFailedError(
      `document ${describeKey(key)} of source shard [${shard}] may have been written under another key than a search shows: ` +
        `${whatHappened}. So nothing shows its shard of the target. ${describeWays(shard, key, source)}, or migrate to a ` +
        'target with as many shards as the source',
    );
  }
}

/**
 * The same check for what a transform has made of documents whose keys have passed {@link checkKeys}.
 * @throws ShardFailedError that names the first document of which it is not known where an application looks for it
 */
export async function checkTransformed(
  session: ShardSession,
  documents: readonly TransformedDocument[],
): Promise<void> {
  for (const document of documents) {
    const key = keyOf(document);
    if (!key.id.isWellFormed() || key.routing?.isWellFormed() === false) {
      throw new ShardFailedError(
        `the transform gives document ${describeId(document)} a key that is cut inside a character. ${whatHappened}, but ` +
          'routes by the half. Let the script cut by code points',
      );
    }
    if (!hasReplacement(keyOf(document.origin)) || !hasReplacement(key)) continue;
    if (!mayMislead(key, await session.targetShape())) continue;
    throw new ShardFailedError(
      `the transform takes U+FFFD of the key of document ${describeId(document)} over into the target. ${whatHappened}, so ` +
        'an application may know the document by another key. Write it again under a whole key, or let the script replace U+FFFD',
    );
  }
}

function describeForeign(session: ShardSession, key: DocumentKey, source: IndexRoutingShape): string {
  const { shard, migration } = session.context;
  const where =
    `document ${describeKey(key)} is in source shard [${shard}], and the key that a search shows leads to shard ` +
    `[${shardOf(key, source)}]`;
  if (!hasReplacement(key)) {
    return `${where}: [${migration.sourceIndex}] does not route as the service expects. Please report this`;
  }
  return (
    `${where}: it was written under another one. ${whatHappened}. An application would not find the copy. ` +
    describeWays(shard, key, source)
  );
}

/** What the operator can do: the source finds such a document by the shown key only with a routing to its shard. */
function describeWays(shard: number, { id }: DocumentKey, source: IndexRoutingShape): string {
  const way = 'Delete it, or write it again under a whole key';
  if (source.shardCount === 1) return way;
  const routing = documentsOnShards([shard], source, id).get(shard)?.routing ?? '';
  return `${way} (with routing=${routing} the source finds it by the id that is shown)`;
}

function describeKey({ id, routing }: DocumentKey): string {
  return routing === undefined ? `[${id}]` : `[${id}] with routing [${routing}]`;
}
