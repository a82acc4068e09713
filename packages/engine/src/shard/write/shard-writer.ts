import type { Snapshot } from '@aosc/contract';
import {
  type BulkController,
  decideDelete,
  sharesPlaces,
  type TargetDocument,
  wasRecreated,
} from '@aosc/domain';
import type { DocumentKey, RawDocument } from '../../ports/documents';
import type { IndexRouting } from '../../ports/index-state-port';
import type { BulkItem } from '../../ports/write-port';
import { BulkGate } from './bulk-gate';
import { BulkSender, type Conflict, estimateBytes } from './bulk-sender';
import { describeItem, keyOf } from './document-names';
import { requireElement } from '../../require-element';
import { getFromPrimaries, getUnconfirmed, type Unconfirmed } from '../../cluster/primaries';
import { instead } from '../../ports/cluster-error';
import { retryingReads } from '../session/retrying-reads';
import { ShardFailedError } from '../errors';
import { Refusals } from './refusals';
import { TargetConflicts } from './target-conflicts';
import { inRequests } from '../read/chunks';
import { awaitQuiet, awaitQuietOfAll } from '../fence/await-quiet';
import type { ShardSession } from '../session/shard-session';
import { firstBatch } from './split-batch';
import { findIdConflict, isOfThisShard, resolveIdConflicts, type IdConflict } from './id-conflicts';
import { applyTransform, type TargetPlace } from './transform';

type DocumentItem = Extract<BulkItem, { kind: 'index' }>;

/**
 * After a delete the target may refuse older versions of the document for 200 ms, a tick of its clock. This many
 * rounds, with their pauses, take far longer.
 */
const maxConflictRounds = 60;
const tombstonePauseMs = 100;

/**
 * All writes of one shard session. A document carries the source's version (`external_gte`), so to write it again is
 * harmless. The order of the writes holds, because there is one writer at a time, and no bulk keeps an unknown outcome.
 */
export class ShardWriter {
  private readonly controller: BulkController;
  private readonly sender: BulkSender;
  private readonly gate: BulkGate;
  /** What the documents of this job have found in their places in the target. */
  readonly targetConflicts: TargetConflicts;
  readonly refusals: Refusals;
  /**
   * Batches that are done: in the target, or set aside. A batch counts once, even if parts of it had to be sent again.
   */
  bulks = 0;
  /** The target's routing, if it was requested before the job knows what to look up there. */
  private routing: Promise<IndexRouting> | undefined;

  constructor(private readonly session: ShardSession) {
    this.controller = session.pacing.controller;
    this.sender = new BulkSender(session, this.controller);
    this.gate = new BulkGate(() => this.concurrency);
    this.targetConflicts = new TargetConflicts(sharesPlaces(session.context.migration));
    this.refusals = new Refusals(session);
  }

  /** How often the job has sent items of a bulk again, or has repeated a read. */
  get bulkRetries(): number {
    return this.sender.bulkRetries + this.session.pauses.refused('read');
  }

  /** How many windows, and how many batches, may be under way at once; read before each of them. */
  get concurrency(): number {
    return this.controller.limits().concurrency;
  }

  /** @returns a function that ends the listening */
  onBatchEnd(listener: () => void): () => void {
    return this.gate.onLeave(listener);
  }

  /**
   * Writes documents as they are in the snapshot. Resolves when every one of them is in the target, or set aside.
   * @throws ShardFailedError when the target refuses documents that may not be set aside, or two source documents share
   *   a target id
   */
  async writeDocuments(documents: readonly RawDocument[], snapshot: Snapshot): Promise<void> {
    const ready = await applyTransform(this.session, documents);
    let written = 0;
    while (written < ready.length && this.refusals.room > 0) {
      // The batch is cut when its turn has come: limits may have changed during the wait.
      written += await this.gate.pass(async () => {
        const batch = firstBatch(ready.slice(written), estimateBytes, this.controller.limits());
        await this.writeBatch(batch, snapshot);
        return batch.length;
      }, this.session.signal);
    }
    this.refusals.assertNone();
  }

  private async writeBatch(batch: readonly RawDocument[], snapshot: Snapshot): Promise<void> {
    let left = batch;
    for (let round = 0; left.length > 0; round++) {
      const conflicts = await this.sendWatched(left, round > 0, snapshot);
      const [first] = conflicts;
      if (first === undefined) break;
      if (round >= maxConflictRounds) {
        throw new ShardFailedError(
          `${conflicts.length} documents stay in conflict with the target; first: ${describeItem(first.item)}: ` +
            `${first.reason}. Does anything else write to the target index?`,
        );
      }
      left = await this.resolveConflicts(
        conflicts.map(({ item }) => item.document),
        snapshot,
      );
    }
    this.bulks++;
  }

  private async sendWatched(
    batch: readonly RawDocument[],
    isRepeated: boolean,
    snapshot: Snapshot,
  ): Promise<readonly Conflict<DocumentItem>[]> {
    const items = batch.map((document): DocumentItem => ({ kind: 'index', document }));
    // The target holds no version of these: if such a document replaces one, that is another document.
    const aside = new Set(
      this.refusals.areOpen ? batch.filter((each) => this.refusals.has(keyOf(each))) : [],
    );
    const isWatched = this.targetConflicts.isWatching(isRepeated, aside.size > 0);
    const { conflicts, refused, replaced, doubted } = await this.sender.send(
      items,
      isWatched,
      this.refusals.room,
    );
    // Old refusals are closed before new ones are taken. An old refusal whose document is written now must not count
    // against the bound any more.
    if (this.refusals.areOpen) {
      const left = new Set([...conflicts, ...refused].map(({ item }) => item.document));
      await this.refusals.close(batch.filter((document) => !left.has(document)).map(keyOf));
    }
    await this.refusals.take(
      refused.map(({ item: { document }, type, reason }) => ({ document, type, reason })),
      snapshot,
      async (keys) => {
        // The first copy writes each document once: the target has no earlier version of them that would have to go.
        if (!this.targetConflicts.expectsNewDocuments) await this.remove(keys);
      },
    );
    if (isWatched) {
      const documentsOf = (of: readonly DocumentItem[]) => of.map(({ document }) => document);
      const answered = { replaced: documentsOf(replaced), doubted: documentsOf(doubted) };
      await this.targetConflicts.note(answered, isRepeated, aside);
    }
    this.targetConflicts.wasWritten(batch);
    return conflicts;
  }

  /**
   * The fence lets only one writer write. So a conflict means that the source's version went down (deleted and
   * re-created), or that two documents share a target id. This deletes what stands in the way; the caller writes the
   * document again.
   * @returns the documents to write again: not those that have moved to another source shard
   */
  private async resolveConflicts(
    documents: readonly RawDocument[],
    snapshot: Snapshot,
  ): Promise<readonly RawDocument[]> {
    const keys = documents.map(keyOf);
    const found = await this.lookUp(keys);
    const deletes: BulkItem[] = [];
    const idConflicts = new Map<IdConflict, RawDocument>();
    let remembered = 0;
    documents.forEach((document, i) => {
      const key = requireElement(keys, i);
      const target = requireElement(found, i);
      const idConflict = findIdConflict(key, target);
      if (idConflict !== undefined) idConflicts.set(idConflict, document);
      else if (target.found && wasRecreated(target, document)) {
        this.targetConflicts.noteCollision(document);
        deletes.push({ kind: 'delete', key, seqNo: target.seqNo, primaryTerm: target.primaryTerm });
      } else remembered++;
    });
    const taken = await resolveIdConflicts(this.session, snapshot, [...idConflicts.keys()]);
    const left = new Set<RawDocument>();
    for (const [idConflict, document] of idConflicts) {
      if (!isOfThisShard(this.session, idConflict.other)) this.targetConflicts.contest([idConflict.ours]);
      if (taken.has(idConflict)) {
        deletes.push(idConflict.removal);
        continue;
      }
      left.add(document);
      this.targetConflicts.giveWay(idConflict.ours);
    }
    if (deletes.length > 0) {
      await (taken.size > 0 ? awaitQuietOfAll(this.session) : awaitQuiet(this.session));
      await this.sender.send(deletes);
    }
    if (remembered > 0) await this.session.context.clock.sleep(tombstonePauseMs, this.session.signal);
    return documents.filter((document) => !left.has(document));
  }

  /** Requests the routing that the next look at the target needs, while the caller still finds out what to delete. */
  expectDeletes(): void {
    const { target } = this.session.context;
    this.routing = target.state.readRouting({ signal: this.session.signal });
    // Without a delete no look awaits the answer.
    this.routing.catch(() => undefined);
  }

  /** Removes documents that are gone from the source. @returns how many were deleted by this call */
  async deleteDocuments(places: readonly TargetPlace[]): Promise<number> {
    const deleted = await this.remove(places);
    await this.refusals.close(places);
    return deleted;
  }

  /**
   * Removes documents by compare-and-set on what the target holds right now. A document that the target lacks counts as
   * removed.
   * @returns how many were deleted by this call
   */
  private async remove(places: readonly TargetPlace[]): Promise<number> {
    let left = places;
    let deleted = 0;
    for (let round = 0; left.length > 0; round++) {
      if (round >= maxConflictRounds) {
        throw new ShardFailedError(
          `${left.length} deletes stay in conflict with the target. Does anything else write to the target index?`,
        );
      }
      const again: TargetPlace[] = [];
      for (const chunk of inRequests(left, this.mostDeletes())) {
        // The wait comes first, even for a place that turns out to be empty. Another shard may have emptied the place,
        // and a repeated bulk of this shard would leave a document there that no shard deletes.
        await awaitQuiet(this.session);
        const look = await this.lookUpFirst(chunk, round > 0);
        const items = chunk.flatMap((place, i) => {
          const decision = decideDelete(requireElement(look.answer, i), place);
          if (decision.kind !== 'delete') return [];
          const { seqNo, primaryTerm } = decision;
          const { id, routing } = place;
          return [{ kind: 'delete', key: { id, routing }, seqNo, primaryTerm, place } as const];
        });
        // A former primary may have answered the look: compare-and-set then refuses the deletes that rest on this
        // answer.
        const { conflicts } = await this.sender.send(items);
        deleted += items.length - conflicts.length;
        again.push(...((await isConfirmed(look)) ? conflicts.map(({ item }) => item.place) : chunk));
      }
      left = again;
    }
    return deleted;
  }

  private mostDeletes(): number {
    return Math.min(this.controller.limits().maxDocs, 1000);
  }

  /** What the target holds right now under the ids. */
  lookUp(keys: readonly DocumentKey[]) {
    const { target } = this.session.context;
    return retryingReads(this.session, (call) => getFromPrimaries(target, keys, call));
  }

  /** {@link lookUp} for deletes: at the first try the job sends them while the answer is still being confirmed. */
  private async lookUpFirst(
    keys: readonly DocumentKey[],
    isRepeated: boolean,
  ): Promise<Unconfirmed<readonly TargetDocument[]>> {
    if (isRepeated) return { answer: await this.lookUp(keys), confirmed: Promise.resolve() };
    const { target } = this.session.context;
    return retryingReads(this.session, (call) => {
      const known = this.routing;
      this.routing = undefined;
      return getUnconfirmed(target, keys, call, known);
    });
  }
}

/** @returns false when a primary has or may have changed during the look: the look must be repeated */
function isConfirmed({ confirmed }: Unconfirmed<unknown>): Promise<boolean> {
  return confirmed.then(() => true).catch(instead(false, 'transient', 'overload'));
}
