import { type BulkController, type BulkReport, opaqueId, transformPipelineName } from '@aosc/domain';
import type { RawDocument } from '../../ports/documents';
import type { BulkItem, BulkOutcome, BulkTransform } from '../../ports/write-port';
import { describeItem } from './document-names';
import { requireElement } from '../../require-element';
import { ShardFailedError } from '../errors';
import { closeOlderEpochs, currentFence } from '../fence/fence';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import { describeOutcome, isInDoubt, isOutage, evaluateBulk, reportKind } from './evaluate-bulk';
import { firstBatch } from './split-batch';

/** Overhead of a bulk's action line beside id and routing, in bytes: for estimates only. */
const actionLineBytes = 80;
/**
 * The most moves to a new fence in a row. A bulk with a known outcome begins the count again: a long copy survives
 * scattered moves.
 */
const maxFenceMoves = 100;

type Measured = Pick<BulkReport, 'documents' | 'bytes' | 'elapsedMs' | 'ticket' | 'along'>;

/** An item that was not applied: the target holds another version than the item expects. */
export interface Conflict<I extends BulkItem> {
  readonly item: I;
  readonly reason: string;
}

/** An item that the target never takes as it is. */
interface Refusal<I extends BulkItem> extends Conflict<I> {
  readonly type: string;
}

/**
 * Sends bulks through the shard's fence until every item has a known outcome. After a bulk without a known outcome the
 * shard moves to a new epoch, and the session drains the old one before it sends anything again.
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
   * Sends items until each is applied, refused or in conflict.
   * @param isWatched whether the caller needs `replaced`
   * @param mostRefused after this many refusals the rest is not sent
   * @returns the items outside `conflicts` and `refused` are applied
   */
  async send<I extends BulkItem>(items: readonly I[], isWatched = false, mostRefused = Infinity) {
    const conflicts: Conflict<I>[] = [];
    const refused: Refusal<I>[] = [];
    const replaced: I[] = [];
    const doubted = new Set<I>();
    const parts: (readonly I[])[] = [items];
    let hasBegun = false;
    for (let part = parts.shift(); part !== undefined && refused.length < mostRefused; part = parts.shift()) {
      if (part.length === 0) continue;
      const sent = part;
      const pick = (indexes: readonly number[]): readonly I[] =>
        indexes.map((at) => requireElement(sent, at));
      // The controller may have lowered the size since the caller cut the batch.
      const fitting = hasBegun ? firstBatch(part, sizeOf, this.controller.limits()) : part;
      if (fitting.length < part.length) {
        parts.unshift(fitting, part.slice(fitting.length));
        continue;
      }
      hasBegun = true;
      const { outcome, epoch } = await this.attempt(part);
      const decision = evaluateBulk(outcome, part, this.transform !== undefined);
      switch (decision.type) {
        case 'doubt':
          await this.moveFence(epoch, decision.isCounted);
          for (const item of part) doubted.add(item);
          parts.unshift(part);
          break;
        case 'halve':
          if (decision.isApplied) for (const item of part) doubted.add(item);
          parts.unshift(...halve(part));
          break;
        case 'repeat':
          parts.unshift(part);
          break;
        case 'fail':
          throw new ShardFailedError(decision.reason);
        case 'answered':
          if (isWatched && outcome.type === 'answered')
            replaced.push(...pick(outcome.replaced()).filter((item) => !doubted.has(item)));
          for (const item of pick(decision.inDoubt)) doubted.add(item);
          for (const { index, reason } of decision.conflicts)
            conflicts.push({ item: requireElement(part, index), reason });
          for (const { index, type, reason } of decision.refused)
            refused.push({ item: requireElement(part, index), type, reason });
          if (decision.inDoubt.length > 0) await this.moveFence(epoch, decision.isCounted);
          if (decision.again.length === 0) continue;
          parts.unshift(pick(decision.again));
      }
      this.bulkRetries++;
    }
    return {
      conflicts,
      refused,
      /** documents that certainly took the place of another; only where the caller asked */
      replaced,
      /** documents that may have been written twice: then the second write has replaced the first */
      doubted: [...doubted],
    };
  }

  /** Undefined: the target takes documents as the caller sends them. */
  private get transform(): BulkTransform | undefined {
    const { migration, shard, clock } = this.session.context;
    if (migration.transform?.rewritesIdentity !== false) return undefined;
    return { pipeline: transformPipelineName(migration.key), shard, nowMillis: clock.now() };
  }

  /**
   * Sends one bulk through the open fence, after the pause that the controller has asked for. Reports the outcome to
   * the controller, and obeys its decision.
   */
  private async attempt(items: readonly BulkItem[]) {
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
    const endWell = session.pacing.processBulks?.begin();
    try {
      const outcome = await target.writes.bulk(currentFence(session), items, {
        signal: session.killSignal,
        opaqueId: opaqueId(migration.key, shard, epoch),
        transform: this.transform,
      });
      if (isInDoubt(outcome)) session.markInDoubt();
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
    // A refused bulk ends at once, and says nothing about how long others take.
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
    // A document's own fault does not fail the job here: `send` or its caller names the document, or sets it aside.
    const isOwnFault = kind === 'fatal' || (kind === 'too_large' && items.length === 1);
    if (decision.action === 'fail' && !isOwnFault) {
      const named = items.length === 1 ? ` (document ${describeItem(items[0])})` : '';
      const failure = new ShardFailedError(`${decision.reason}${named}`);
      // Ends the pauses of other work of the job.
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
   * Starts a new epoch after a bulk of `epoch` with an unknown outcome. It first waits for the answers to this
   * session's other bulks, so that it does not cut them off needlessly.
   * @param isCounted the controller has counted the bulk as a failure, and bounds such failures itself
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

function halve<I>(items: readonly I[]): readonly (readonly I[])[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

function sizeOf(item: BulkItem): number {
  return estimateBytes(item.kind === 'index' ? item.document : undefined);
}

/** About how many bytes a document takes in a bulk; undefined: a delete. */
export function estimateBytes(document: RawDocument | undefined): number {
  return actionLineBytes + (document === undefined ? 40 : document.size);
}
