import { type BulkController, type BulkReport, opaqueId, transformPipelineName } from '@aosc/domain';
import type { RawDocument } from '../../ports/documents';
import type { BulkItem, BulkOutcome, BulkTransform, ItemFailure } from '../../ports/write-port';
import { type BulkWatch, shiftWatch } from './bulk-watch';
import { describeItem } from './document-names';
import { elementAt } from '../../cluster/element-at';
import { ShardFailedError } from '../errors';
import { closeOlderEpochs, currentFence } from '../fence/fence';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import { describeOutcome, isInDoubt, isOutage, evaluateBulk, reportKind } from './evaluate-bulk';
import { firstBatch, splitBatch } from './split-batch';

/** Overhead of a bulk's action line beside id and routing, in bytes: for estimates only. */
const actionLineBytes = 80;
/** In a row: scattered ones over a long copy are each repaired. */
const maxFenceMoves = 100;

type Measured = Pick<BulkReport, 'documents' | 'bytes' | 'elapsedMs' | 'ticket' | 'along'>;

interface Attempt {
  readonly outcome: BulkOutcome;
  readonly epoch: number;
}

/**
 * Sends bulks through the shard's open fence until every item has a known outcome. A bulk without one moves the
 * shard to a new epoch, and the old one is drained, before anything is sent again.
 */
export class BulkSender {
  private inFlight = 0;
  private idle: (() => void) | undefined;
  private moving: Promise<void> | undefined;
  private fenceMoves = 0;
  bulkRetries = 0;

  constructor(
    private readonly session: ShardSession,
    private readonly controller: BulkController,
  ) {}

  /**
   * Sends items until each is applied or in conflict.
   * @returns the conflicts, with positions in `items`
   */
  async send(items: readonly BulkItem[], watch?: BulkWatch): Promise<readonly ItemFailure[]> {
    const conflicts: ItemFailure[] = [];
    const doubted = new Set<number>();
    const doubt = (indexes: Iterable<number>): void => {
      const found = Array.from(indexes, positionOf);
      for (const position of found) doubted.add(position);
      watch?.onDoubt(found);
    };
    const noteReplaced = (indexes: readonly number[]): void =>
      watch?.onReplaced(indexes.map(positionOf).filter((position) => !doubted.has(position)));
    let pending = items;
    let refused = false;
    /** where each pending item is in `items`; undefined: at the same place */
    let positions: readonly number[] | undefined;
    const positionOf = (index: number): number =>
      positions === undefined ? index : elementAt(positions, index);
    const inParts = async (parts: Iterable<readonly BulkItem[]>): Promise<readonly ItemFailure[]> => {
      const met = await this.sendParts(parts, watch && { onReplaced: noteReplaced, onDoubt: doubt });
      return [...conflicts, ...met.map((failure) => ({ ...failure, index: positionOf(failure.index) }))];
    };
    while (pending.length > 0) {
      // The controller may have lowered the size since.
      if (refused && firstBatch(pending, sizeOf, this.controller.limits()).length < pending.length) {
        return inParts(splitBatch(pending, sizeOf, () => this.controller.limits()));
      }
      const { outcome, epoch } = await this.attempt(pending);
      refused = true;
      const decision = evaluateBulk(outcome, pending, this.transform !== undefined);
      switch (decision.type) {
        case 'doubt':
          await this.moveFence(epoch, decision.isCounted);
          this.bulkRetries++;
          doubt(pending.keys());
          continue;
        case 'halve':
          return inParts(this.halve(pending));
        case 'repeat':
          this.bulkRetries++;
          continue;
        case 'search':
          await this.sendParts(this.halve(pending));
          throw new ShardFailedError(decision.reason);
        case 'fail':
          throw new ShardFailedError(decision.reason);
        case 'answered':
      }
      if (watch !== undefined && outcome.type === 'answered') noteReplaced(outcome.replaced());
      doubt(decision.inDoubt);
      conflicts.push(
        ...decision.conflicts.map((failure) => ({ ...failure, index: positionOf(failure.index) })),
      );
      const again = decision.again.map(positionOf);
      if (decision.inDoubt.length > 0) await this.moveFence(epoch, decision.isCounted);
      if (again.length > 0) this.bulkRetries++;
      positions = again;
      pending = again.map((position) => elementAt(items, position));
    }
    return conflicts;
  }

  private halve(items: readonly BulkItem[]): readonly (readonly BulkItem[])[] {
    this.bulkRetries++;
    const middle = Math.ceil(items.length / 2);
    return [items.slice(0, middle), items.slice(middle)];
  }

  /** One after the other; what they give and take are positions in the whole. */
  private async sendParts(
    parts: Iterable<readonly BulkItem[]>,
    watch?: BulkWatch,
  ): Promise<readonly ItemFailure[]> {
    const conflicts: ItemFailure[] = [];
    let start = 0;
    for (const part of parts) {
      const offset = start;
      const met = await this.send(part, watch && shiftWatch(watch, offset));
      conflicts.push(...met.map((failure) => ({ ...failure, index: offset + failure.index })));
      start += part.length;
    }
    return conflicts;
  }

  /** Undefined: documents go into the target as they come from the caller. */
  private get transform(): BulkTransform | undefined {
    const { migration, shard, clock } = this.session.context;
    if (migration.transform?.rewritesIdentity !== false) return undefined;
    return { pipeline: transformPipelineName(migration.key), shard, nowMillis: clock.now() };
  }

  /** One bulk through the open fence, with the controller's pause before and its verdict after. */
  private async attempt(items: readonly BulkItem[]): Promise<Attempt> {
    const { session } = this;
    const { target, clock, migration, shard } = session.context;
    for (;;) {
      if (this.moving !== undefined) await this.moving;
      const wait = session.pauses.left('bulk');
      if (wait <= 0) break;
      await clock.sleep(wait, session.signal);
    }
    session.assertOwned();
    const epoch = session.epoch;
    const { ticket } = this.controller.limits();
    this.inFlight++;
    const hasDocuments = items.some(({ kind }) => kind === 'index');
    const noteAnswered = hasDocuments ? session.quiet.noteDocumentsSent() : undefined;
    const started = clock.monotonic();
    const endWell = session.pacing.company?.begin();
    try {
      const outcome = await target.writes.bulk(currentFence(session), items, {
        signal: session.killSignal,
        opaqueId: opaqueId(migration.key, shard, epoch),
        transform: this.transform,
      });
      if (isInDoubt(outcome)) session.markUnsettled();
      else this.fenceMoves = 0;
      session.signal.throwIfAborted();
      const bytes = items.reduce((sum, item) => sum + sizeOf(item), 0);
      const along = reportKind(outcome) === 'success' ? endWell?.(bytes) : undefined;
      this.observe(outcome, items, {
        documents: items.length,
        bytes,
        elapsedMs: clock.monotonic() - started,
        ticket,
        ...(along !== undefined && { along }),
      });
      return { outcome, epoch };
    } finally {
      noteAnswered?.();
      this.inFlight--;
      if (this.inFlight === 0) this.idle?.();
    }
  }

  private observe(outcome: BulkOutcome, items: readonly BulkItem[], measured: Measured): void {
    const { metrics, log } = this.session.context;
    const kind = reportKind(outcome);
    metrics.bulkSent(kind);
    // One that is refused ends at once, and says nothing about those that are carried out.
    if (kind === 'success') this.session.latencies.note(measured.elapsedMs);
    const tookMs = outcome.type === 'answered' ? outcome.tookMs : undefined;
    const report: BulkReport =
      kind === 'success'
        ? { ...measured, tookMs, kind }
        : {
            ...measured,
            tookMs,
            kind,
            reason: describeOutcome(outcome),
            attempts: 1,
            isOutage: isOutage(outcome),
          };
    const decision = this.controller.observe(report);
    // A document's own fault is reported with its id by the sender of the bulk.
    if (decision.action === 'fail' && kind !== 'fatal') {
      const named = items.length === 1 ? ` (document ${describeItem(items[0])})` : '';
      const failure = new ShardFailedError(`${decision.reason}${named}`);
      // Ends the pauses of whatever else is under way.
      this.session.fail(failure);
      throw failure;
    }
    if (decision.action === 'pause') {
      log.info('overload', 'the target asks for less', {
        pauseMs: Math.round(decision.pauseMs),
        reason: describeOutcome(outcome),
      });
      this.session.pauses.begin('bulk', decision.pauseMs, describeOutcome(outcome));
    }
  }

  /**
   * Starts a new epoch after a bulk of `epoch` with an unknown outcome. Waits first until this session's other
   * bulks have been answered, so that they are not cut off needlessly.
   * @param isCounted the controller has counted it as a failure, and sets the limit
   */
  private async moveFence(epoch: number, isCounted: boolean): Promise<void> {
    if (this.moving !== undefined) return this.moving;
    if (this.session.epoch !== epoch) return;
    if (!isCounted && ++this.fenceMoves > maxFenceMoves) {
      throw new ShardFailedError(
        `the outcome of ${maxFenceMoves} bulks stayed unknown: is the target reachable?`,
      );
    }
    this.moving = this.openNextEpoch().finally(() => (this.moving = undefined));
    return this.moving;
  }

  private async openNextEpoch(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.idle = resolve));
    this.idle = undefined;
    await retryingReads(this.session, () => this.session.verify());
    await retryingReads(this.session, () => this.session.openNextEpoch());
    await retryingReads(this.session, () => closeOlderEpochs(this.session));
  }
}

function sizeOf(item: BulkItem): number {
  return estimateBytes(item.kind === 'index' ? item.document : undefined);
}

/** Size of a document in a bulk, about, in bytes; undefined: a delete. */
export function estimateBytes(document: RawDocument | undefined): number {
  return actionLineBytes + (document === undefined ? 40 : document.size);
}
