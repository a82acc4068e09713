import { type Contested, documentKeyString, maxContestedIds } from '@aosc/domain';
import type { DocumentKey, RawDocument } from '../../ports/documents';
import type { CopyCollisions } from './collisions';
import { describeId, keyOf } from './document-names';

const collisionsNamed = 10;
/** The most ids of collisions that a copy keeps, to look them up in the snapshot: some megabytes. */
const maxCollisionIds = 10_000;
const maxGivenWay = 100_000;

/** Which of some documents are new: the shard has never written them before the current round. */
export type FindNew = (keys: readonly DocumentKey[]) => Promise<readonly DocumentKey[]>;

interface Noted {
  count: number;
  readonly first: string[];
  readonly ids: Set<string>;
  areAllIds: boolean;
}

/**
 * What the documents of one job have found in their places in the target. In the first copy a document that replaces
 * another may have the same id (`collisions`). Where several source shards write to one place, a new document that
 * replaces another may have written over a document of another shard. Then the shard notes the place as contested.
 * Under the write block the shards look at the contested places again.
 */
export class TargetConflicts {
  private collisions: Noted | undefined;
  private readonly contested = new Set<string>();
  private contestedUnknown = false;
  private findNew: FindNew | undefined;
  private readonly givenWay = new Map<string, DocumentKey>();

  /** @param sharesPlaces other source shards may write to the same places */
  constructor(private readonly sharesPlaces: boolean) {}

  /**
   * From now on the job writes each document for the first time, so no document may replace another in the target. A
   * job that writes a document a second time must not call this.
   */
  expectNewDocuments(): void {
    this.collisions = { count: 0, first: [], ids: new Set(), areAllIds: true };
    this.findNew = (keys) => Promise.resolve(keys);
  }

  /** Ends {@link expectNewDocuments}. @returns the documents that have replaced another since; undefined: none has */
  takeCollisions(): CopyCollisions | undefined {
    const { collisions } = this;
    this.collisions = undefined;
    this.findNew = undefined;
    return collisions === undefined || collisions.count === 0
      ? undefined
      : { ...collisions, ids: [...collisions.ids] };
  }

  /** For a replay round, which brings some new documents. @param findNew undefined: from now on no document is new */
  watchNewDocuments(findNew: FindNew | undefined): void {
    this.findNew = findNew;
  }

  get expectsNewDocuments(): boolean {
    return this.collisions !== undefined;
  }

  /**
   * Whether it matters what the next documents replace.
   * @param haveAside some of them were set aside
   */
  isWatching(isRepeated: boolean, haveAside = false): boolean {
    if (isRepeated) return this.sharesPlaces;
    return this.collisions !== undefined || (this.sharesPlaces && (haveAside || this.findNew !== undefined));
  }

  /**
   * @param answered what the answers of a batch say of its documents (see `BulkSender.send`)
   * @param isRepeated the documents were in conflict before, and the shard has deleted what stood in the way: a
   *   document that now replaces another has found a third, which arrived after the delete
   * @param aside those that were set aside: the target held no version of them
   */
  async note(
    { replaced, doubted }: Readonly<Record<'replaced' | 'doubted', readonly RawDocument[]>>,
    isRepeated: boolean,
    aside: ReadonlySet<RawDocument> = new Set(),
  ): Promise<void> {
    if (!isRepeated) for (const document of replaced) this.noteCollision(document);
    if (!this.sharesPlaces || replaced.length + doubted.length === 0) return;
    const met = [...new Set([...replaced, ...doubted])];
    const keys = met.map(keyOf);
    this.contest(isRepeated ? keys : ((await this.findNew?.(keys)) ?? []));
    this.contest(met.filter((document) => aside.has(document)).map(keyOf));
  }

  noteCollision(document: RawDocument): void {
    if (this.collisions === undefined) return;
    this.collisions.count++;
    const { ids } = this.collisions;
    const { id } = keyOf(document);
    if (ids.size < maxCollisionIds) ids.add(id);
    else if (!ids.has(id)) this.collisions.areAllIds = false;
    if (this.collisions.first.length < collisionsNamed) this.collisions.first.push(describeId(document));
  }

  /** Notes that the places of these documents are contested, whichever shard holds them now. */
  contest(keys: readonly DocumentKey[]): void {
    for (const { id } of keys) {
      if (this.contested.size >= maxContestedIds && !this.contested.has(id)) this.contestedUnknown = true;
      else this.contested.add(id);
    }
  }

  takeContested(): Contested {
    const taken = { ids: [...this.contested], unknown: this.contestedUnknown };
    this.contested.clear();
    this.contestedUnknown = false;
    return taken;
  }

  /** Notes a document of the snapshot that was left out, because it has moved to another source shard since. */
  giveWay(key: DocumentKey): void {
    // Beyond the bound a sweep takes the document for missing, and tries to write it again.
    if (this.givenWay.size < maxGivenWay) this.givenWay.set(documentKeyString(key), key);
  }

  wasWritten(batch: readonly RawDocument[]): void {
    if (this.givenWay.size === 0) return;
    for (const document of batch) this.givenWay.delete(documentKeyString(keyOf(document)));
  }

  /** Documents of a snapshot that are not in the target because they have moved. */
  get left(): readonly DocumentKey[] {
    return [...this.givenWay.values()];
  }
}
