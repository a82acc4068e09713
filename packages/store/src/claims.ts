import { type ClaimRecord, type MigrationRecord, recordSchemaVersion } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';
import { type Call, compareAndSet, isClusterError, type Stored, instead } from '@aosc/engine';
import type { DocumentIndex, StoredDocument } from './document-index';
import { type ClaimRole, documentIds } from './keys';
import { abandonedCodec, at, claimCodec, kindOf, migrationCodec } from './record-codec';

/**
 * A claim without a migration record belongs to a start in progress, or to a dead start: after this time the start
 * counts as dead. A claim dated as far ahead shows no age: without this it would hold as long as its clock was ahead.
 */
export const orphanAgeMs = 60_000;

/** The most tries at a claim that other starts change, too. */
const maxTries = 5;

export type ClaimAttempt =
  | { readonly type: 'claimed'; readonly claim: Stored<ClaimRecord> }
  | { readonly type: 'held'; readonly holder: ClaimRecord };

/**
 * Whether the claim of another start still counts. The migration record under the claim's `key` decides. `orphan`:
 * there is no such record, and the claim is old.
 */
export type ClaimVerdict = 'held' | 'free' | 'orphan';

/**
 * Whether a claim still holds.
 * @param holder the document in the place of the holder's migration record: its kind, and whether the migration has
 *   ended; undefined: there is no document
 */
export function evaluateClaim(
  claim: ClaimRecord,
  holder: { readonly kind: string; readonly ended: boolean } | undefined,
  nowMillis: number,
): ClaimVerdict {
  const ageMs = Math.abs(nowMillis - claim.claimedAtMillis);
  if (holder === undefined) return ageMs >= orphanAgeMs ? 'orphan' : 'held';
  return holder.kind === 'abandoned' || holder.ended ? 'free' : 'held';
}

function describeHolder(document: StoredDocument): { kind: string; ended: boolean } {
  const kind = kindOf(document);
  return { kind, ended: kind === 'migration' && isTerminalPhase(migrationCodec.read(document).record.phase) };
}

/**
 * The claims of a migration on its two indices.
 * @param startId of the start that makes them; a caller that only looks for claims leaves it out
 */
export function claimsOf(
  record: MigrationRecord,
  nowMillis: number,
  startId?: string,
): readonly ClaimRecord[] {
  const claim = (role: ClaimRole, indexName: string): ClaimRecord => ({
    kind: 'claim',
    schemaVersion: recordSchemaVersion,
    role,
    indexName,
    key: record.key,
    migrationId: record.migrationId,
    claimedAtMillis: nowMillis,
    ...(startId !== undefined && { startId }),
  });
  return [claim('source', record.sourceIndex), claim('target', record.targetIndex)];
}

/** Lets only one start have an index, by documents that can be created only once. */
// eslint-disable-next-line max-lines-per-function -- one closure: its short functions share the state above them
export function createClaims(index: DocumentIndex, now: () => number) {
  async function read(role: ClaimRole, name: string, call: Call): Promise<Stored<ClaimRecord> | undefined> {
    const document = await index.get(documentIds.claim(role, name), call);
    return document && claimCodec.read(document);
  }

  /**
   * Whether a claim still counts. Where its start counts as dead, this puts a tombstone in place of the migration
   * record, so that the start's last write fails however late it arrives.
   */
  async function isHeld(claim: ClaimRecord, call: Call): Promise<boolean> {
    const id = documentIds.migration(claim.key);
    const document = await index.get(id, call);
    const verdict = evaluateClaim(claim, document && describeHolder(document), now());
    if (verdict !== 'orphan') return verdict === 'held';
    return !(await abandon(claim.key, claim.migrationId, call));
  }

  /** @returns false when the migration record exists after all */
  async function abandon(key: string, migrationId: string, call: Call): Promise<boolean> {
    const body = abandonedCodec.write({
      kind: 'abandoned',
      schemaVersion: recordSchemaVersion,
      key,
      migrationId,
    });
    try {
      await index.create(documentIds.migration(key), body, false, call);
      return true;
    } catch (error) {
      if (!isClusterError(error, 'conflict')) throw error;
      const document = await index.get(documentIds.migration(key), call);
      return document !== undefined && kindOf(document) === 'abandoned';
    }
  }

  /**
   * Takes a claim that has no holder, or whose holder has ended or died. A conflict can be the echo of our own write:
   * when the first primary dies during the write, the coordinating node repeats it on the next primary.
   */
  async function take(claim: ClaimRecord, call: Call): Promise<ClaimAttempt> {
    const id = documentIds.claim(claim.role, claim.indexName);
    const body = claimCodec.write(claim);
    return compareAndSet<ClaimAttempt>(async () => {
      const existing = await read(claim.role, claim.indexName, call);
      if (
        existing !== undefined &&
        claim.startId !== undefined &&
        existing.record.startId === claim.startId
      ) {
        return { result: { type: 'claimed', claim: existing } };
      }
      if (existing !== undefined && (await isHeld(existing.record, call))) {
        return { result: { type: 'held', holder: existing.record } };
      }
      const put =
        existing === undefined
          ? () => index.create(id, body, false, call)
          : () => index.replace(id, existing, body, false, call);
      return { write: async () => ({ type: 'claimed', claim: at(claim, await put()) }) };
    }, maxTries);
  }

  /** Removes a claim only if it is exactly as this start took it: a changed claim belongs to another start. */
  async function releaseClaim(claim: Stored<ClaimRecord>, call: Call): Promise<void> {
    const id = documentIds.claim(claim.record.role, claim.record.indexName);
    await index.remove(id, claim, call).catch(instead(undefined, 'conflict', 'not_found'));
  }

  /** The claims on the migration's two indices, without those of other migrations. */
  async function listOwn(record: MigrationRecord, call: Call): Promise<readonly Stored<ClaimRecord>[]> {
    const claims: Stored<ClaimRecord>[] = [];
    for (const { role, indexName } of claimsOf(record, 0)) {
      const claim = await read(role, indexName, call);
      if (claim?.record.key === record.key) claims.push(claim);
    }
    return claims;
  }

  /** Removes the claims of an ended migration and leaves those of others. A repetition does no harm. */
  async function release(record: MigrationRecord, call: Call): Promise<void> {
    for (const claim of await listOwn(record, call)) await releaseClaim(claim, call);
  }

  return { read, listOwn, isHeld, abandon, take, releaseClaim, release };
}
export type Claims = ReturnType<typeof createClaims>;
