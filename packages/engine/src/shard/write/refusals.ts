import {
  describeRefused,
  documentKeyString,
  findTooMany,
  reasonWithoutValues,
  setsAside,
} from '@aosc/domain';
import type { SetAsideDocument, ShardRecord, Snapshot } from '@aosc/contract';
import type { DocumentKey, RawDocument, TransformedDocument } from '../../ports/documents';
import type { RefusedStorePort } from '../../ports/store-port';
import { ShardFailedError } from '../errors';
import { findHeads } from '../read/pages';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import { keyOf, sourceIdOf } from './document-names';

/** The most documents that a failing shard names. */
const mostNamed = 100;

export interface RefusedDocument {
  readonly document: RawDocument | TransformedDocument;
  readonly type: string;
  readonly reason: string;
}

/**
 * What becomes of documents that the target refuses. With `fail` the shard writes the rest of what it has read, and
 * then fails with their names. With `set_aside` the target then holds no version of them, and the shard's record names
 * them. The record's write that shows progress past a document also names it, so no owner sees the progress without the
 * entry.
 */
export class Refusals {
  private readonly open: Map<string, SetAsideDocument>;
  private readonly named: Pick<SetAsideDocument, 'id' | 'type' | 'reason'>[] = [];

  constructor(private readonly session: ShardSession) {
    const { setAside = [] } = session.record;
    this.open = new Map(setAside.map((each) => [documentKeyString(withRouting(each)), each]));
  }

  /**
   * After this many more refusals the writer sends no further documents. Where refused documents are set aside, `take`
   * has a bound of its own.
   */
  get room(): number {
    return setsAside(this.session.context.migration) ? Infinity : mostNamed - this.named.length;
  }

  get areOpen(): boolean {
    return this.open.size > 0;
  }

  /** Documents of the latest snapshot that are set aside: the target does not hold them. */
  get keys(): readonly DocumentKey[] {
    return [...this.open.values()].map(withRouting);
  }

  has(key: DocumentKey): boolean {
    return this.open.has(documentKeyString(key));
  }

  /** @throws ShardFailedError that names the refused documents, unless they were set aside */
  assertNone(): void {
    if (this.named.length === 0) return;
    const named = this.named.slice(0, mostNamed);
    const count = named.length < mostNamed ? `${named.length}` : `${mostNamed} or more`;
    const documents = named.length === 1 ? 'a document' : `${count} documents, by reason`;
    throw new ShardFailedError(`the target refuses ${documents}: ${describeRefused(named)}`);
  }

  /**
   * Where refused documents are set aside: stores them before the record shows progress past them, and removes older
   * versions of them from the target. Otherwise only notes them for {@link assertNone}.
   * @param remove removes what the target holds under these keys
   * @throws ShardFailedError when more are refused than may be set aside
   */
  async take(
    refused: readonly RefusedDocument[],
    snapshot: Snapshot,
    remove: (keys: readonly DocumentKey[]) => Promise<unknown>,
  ): Promise<void> {
    if (refused.length === 0) return;
    const { session } = this;
    const { migration, shard, log } = session.context;
    if (!setsAside(migration)) {
      for (const { document, type, reason } of refused)
        this.named.push({ id: sourceIdOf(document), type, reason: reasonWithoutValues(reason) });
      return;
    }
    const found = refused.map(({ document, type, reason }) => {
      const { version, source } = document;
      return { key: keyOf(document), version, source, type, reason: reasonWithoutValues(reason) };
    });
    const names = found.map(({ key }) => documentKeyString(key));
    const tooMany = findTooMany(migration, new Set([...this.open.keys(), ...names]).size);
    if (tooMany !== undefined) {
      const named = found.slice(0, mostNamed).map(({ key, type, reason }) => ({ id: key.id, type, reason }));
      throw new ShardFailedError(`the target refuses ${tooMany}; the last: ${describeRefused(named)}`);
    }
    const heads = await findHeads(
      session,
      snapshot,
      found.map(({ key }) => key),
    );
    const kept = found.map(({ key: { id, routing }, source, ...rest }) => {
      const { seqNo } = heads.get(documentKeyString({ id, routing })) ?? { seqNo: -1 };
      return { entry: { id, ...(routing !== undefined && { routing }), ...rest, seqNo }, source };
    });
    await retryingReads(session, (call) => this.kept.keep(migration.key, shard, kept, call));
    const older = this.replace(kept.map(({ entry }) => entry));
    await remove(found.map(({ key }) => key));
    await this.forget(older);
    log.warn('documents_set_aside', 'the target refuses documents: they are set aside', {
      shard,
      documents: kept.length,
      open: this.open.size,
    });
  }

  /** Ends refusals: the target holds these documents now as the snapshot has them, or the snapshot lacks them. */
  async close(keys: readonly DocumentKey[]): Promise<void> {
    if (!this.areOpen) return;
    const closed = keys.flatMap((key) => {
      const name = documentKeyString(key);
      const entry = this.open.get(name);
      this.open.delete(name);
      return entry ?? [];
    });
    if (closed.length === 0) return;
    this.session.defer(this.note);
    await this.forget(closed);
  }

  private get kept(): RefusedStorePort {
    const { refused } = this.session.context;
    if (refused === undefined) throw new Error('this process has no place for documents to set aside');
    return refused;
  }

  /** @returns the entries that these replace: of the same documents, but of earlier operations */
  private replace(entries: readonly SetAsideDocument[]): readonly SetAsideDocument[] {
    const older = entries.flatMap((entry) => {
      const name = documentKeyString(withRouting(entry));
      const before = this.open.get(name);
      this.open.set(name, entry);
      return before === undefined || before.seqNo === entry.seqNo ? [] : before;
    });
    this.session.defer(this.note);
    return older;
  }

  private async forget(entries: readonly SetAsideDocument[]): Promise<void> {
    if (entries.length === 0) return;
    const { migration, shard } = this.session.context;
    await retryingReads(this.session, (call) => this.kept.forget(migration.key, shard, entries, call));
  }

  private readonly note = ({ setAside: _before, ...record }: ShardRecord): ShardRecord => ({
    ...record,
    ...(this.open.size > 0 && { setAside: [...this.open.values()] }),
  });
}

const withRouting = ({ id, routing }: SetAsideDocument): DocumentKey => ({ id, routing });
