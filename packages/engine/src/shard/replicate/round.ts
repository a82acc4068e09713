import type { Snapshot } from '@aosc/contract';
import { compareSnapshotIdentity, documentKeyString, sharesPlaces } from '@aosc/domain';
import type { RawDocument } from '../../ports/documents';
import type { Page, Selection } from '../../ports/snapshot-port';
import { ShardFailedError } from '../errors';
import { findHeads, readHeads, type DocumentView, readPages } from '../read/pages';
import type { ShardSession } from '../session/shard-session';
import { evaluateChanged } from './evaluate-round';

/** A round keeps up to this many keys of changed documents. Beyond that it asks the snapshots again. */
const maxKeysKept = 20_000;

interface Changes {
  readonly changed: number;
  readonly created: number;
  /** keys of the changed documents; undefined: too many to keep */
  readonly changedKeys: ReadonlySet<string> | undefined;
  /** keys of the created documents; undefined: too many to keep */
  readonly newKeys: ReadonlySet<string> | undefined;
  /** a document has no higher version than its older state: it was made again, or the application sets its versions */
  readonly mayComeOverItself: boolean;
}

/** What brings the target from one snapshot of the source shard to the next. */
export class Round {
  /** Another copy became primary in between: equal counts prove nothing then. */
  readonly primaryChanged: boolean;
  /** `_seq_no`s of what was written since the old snapshot */
  private readonly written: Extract<Selection, { kind: 'range' }>;

  /** @throws ShardFailedError when the two snapshots are not of one history */
  constructor(
    readonly session: ShardSession,
    readonly old: DocumentView,
    readonly next: Snapshot,
  ) {
    const relation = compareSnapshotIdentity(old, next);
    if (typeof relation === 'object') {
      throw new ShardFailedError(`the source is not the one the copy began with: ${relation.replaced}`);
    }
    this.primaryChanged = relation === 'primary_changed';
    this.written = { kind: 'range', from: old.checkpoint + 1, to: next.maxSeqNo + 1 };
  }

  /**
   * Counts the documents that were written since the old snapshot, and those of them that the old snapshot does not
   * have. The cost grows with the gap, not with the shard.
   */
  async changes(): Promise<Changes> {
    const { session, old, next, written } = this;
    let changed = 0;
    let created = 0;
    let mayComeOverItself = false;
    const keep = sharesPlaces(session.context.migration);
    const newKeys = new Set<string>();
    const changedKeys = new Set<string>();
    if (written.from >= written.to) return { changed, created, changedKeys, newKeys, mayComeOverItself };
    for await (const heads of readHeads(session, next, written)) {
      const page = evaluateChanged(heads, await findHeads(session, old, heads));
      changed += heads.length;
      if (changed <= maxKeysKept) for (const head of heads) changedKeys.add(documentKeyString(head));
      mayComeOverItself ||= page.mayComeOverItself;
      created += page.created.length;
      if (keep && created <= maxKeysKept) for (const key of page.created) newKeys.add(key);
    }
    return {
      changed,
      created,
      changedKeys: changed <= maxKeysKept ? changedKeys : undefined,
      newKeys: newKeys.size === created ? newKeys : undefined,
      mayComeOverItself,
    };
  }

  /**
   * Documents of the new snapshot; each page may be used for as long as `readPages` says.
   * @param selection left out: all that were written since the old snapshot
   */
  upserts(selection: Selection = this.written): AsyncIterable<Page<RawDocument>> {
    return readPages(this.session, this.next, selection);
  }
}
