import {
  allSetAside,
  documentKeyString,
  isSameOperation,
  judgeAfterSwap,
  judgeDocument,
  type Judgement,
  shardOf,
  type VerifyGroup,
} from '@aosc/domain';
import { type Difference, ownValue, type ShardRecord } from '@aosc/contract';
import { requireElement } from '../require-element';
import { getFromPrimaries } from '../cluster/primaries';
import type { DocumentHead, DocumentKey } from '../ports/documents';
import { inRequests } from '../shard/read/chunks';
import { retryingReads } from '../shard/session/retrying-reads';
import { keyOf } from '../shard/write/document-names';
import type { ComparedPart } from './compare-part';
import { readCurrent } from './context';
import {
  type ComparedDocument,
  detached,
  type ExpectedDocument,
  expectInTarget,
  toCompared,
} from './expected';
import { differingFields } from './meaning';
import { withOpenShards } from './open-shards';
import type { VerifyReader } from './reader';
import { type SourceViews, withSourceViews } from './source-views';

/** The most looks at a document that a round may be writing. The rests in between grow: about 95 seconds in all. */
const maxLooks = 20;
const restMs = 500;
const longestRestMs = 10_000;

/** A document that did not match. */
interface Doubt {
  /** its key in the source; undefined: a script may have made the document of any source document */
  readonly origin: DocumentKey | undefined;
  /** as the comparison has read it in the target; undefined: not known */
  readonly head?: DocumentHead;
}

export interface Judged {
  readonly differences: readonly Difference[];
  /** documents that could not be judged */
  readonly unsettled: number;
  /** documents that differ, and that the last rounds of the cutover settle */
  readonly contested: number;
  /** by source shard: the looks took in every operation up to this number */
  readonly toSeqNo: Readonly<Record<string, number>>;
}

/** Looks at the documents of a part that did not match until each of them can be judged. */
export class DoubtJudge {
  private toSeqNo: Readonly<Record<string, number>>;

  constructor(
    private readonly reader: VerifyReader,
    private readonly group: VerifyGroup,
    private readonly compared: ComparedPart,
  ) {
    this.toSeqNo = compared.range.toSeqNo;
  }

  /** @param again differences to look at once more */
  async judge(again?: readonly Difference[]): Promise<Judged> {
    const { clock } = this.reader.context;
    const differences: Difference[] = [];
    let unknown = 0;
    let contested = 0;
    let left: readonly Doubt[] =
      again?.map(({ id, routing }) => ({ origin: { id, routing } })) ?? this.doubts();
    for (let look = 1; left.length > 0; look++) {
      const moved: Doubt[] = [];
      for (const part of inRequests(left)) {
        const found = (await this.look(part)) ?? { differences: [], moved: part, unknown: 0, contested: 0 };
        differences.push(...found.differences);
        moved.push(...found.moved);
        unknown += found.unknown;
        contested += found.contested;
      }
      left = moved;
      if (left.length === 0 || look === maxLooks) break;
      await clock.sleep(Math.min(look * restMs, longestRestMs), this.reader.signal);
    }
    return {
      differences,
      unsettled: unknown + left.length,
      contested,
      toSeqNo: this.toSeqNo,
    };
  }

  /** Without a script that rewrites ids, a document that matched on neither side is one doubt, not two. */
  private doubts(): readonly Doubt[] {
    const { sources, targets } = this.compared;
    const ofTarget = targets.map((head): Doubt => {
      const { id, routing } = head;
      return { origin: this.rewritesIds ? undefined : { id, routing }, head };
    });
    const known = new Set(ofTarget.map(({ origin }) => origin && documentKeyString(origin)));
    return [
      ...ofTarget,
      ...sources.filter((key) => !known.has(documentKeyString(key))).map((origin) => ({ origin })),
    ];
  }

  /** @returns undefined when no state of the source is there to compare with now */
  private look(doubts: readonly Doubt[]) {
    return withSourceViews(this.reader, this.group, (source) => this.compare(doubts, source));
  }

  private async compare(doubts: readonly Doubt[], source: SourceViews) {
    const { group, rewritesIds } = this;
    const { views } = source;
    for (const { shard, covered } of views) this.noteCovered(shard, covered);
    const origins = doubts.flatMap(({ origin }) => origin ?? []);
    const expected = await this.expectNow(origins, views);
    const heads = new Map(doubts.flatMap(({ head }) => (head ? [[documentKeyString(head), head]] : [])));
    const inPlace = rewritesIds ? [] : origins.map((key) => [documentKeyString(key), key] as const);
    const keys = new Map<string, DocumentKey>([...heads, ...inPlace, ...expected]);
    const before = setAsideIn(await this.reader.readShards());
    const held = await this.readTarget([...keys.values()]);
    // A rewritten id does not show its source document. But if a round has written the id since, the source had such a
    // document.
    const isRewritten = (name: string): boolean =>
      rewritesIds && !expected.has(name) && !isSameOperation(held.get(name), heads.get(name));
    const differing = [...keys].filter(([name]) => {
      const looks = {
        source: expected.get(name),
        target: held.get(name),
        sourceNow: undefined,
        isAtRest: true,
      };
      return judgeDocument(looks) !== 'equal' && !isRewritten(name);
    });
    const now = await this.headsNow(differing.map(([name, key]) => expected.get(name)?.origin ?? key));
    const judgeInPlace = await this.rules(before);
    const resting = await source.atRest();
    const isWhole = group.sourceShards.every((shard) => resting.has(shard));
    // Whether rounds have brought the target to the snapshots that were compared. If so, a document that the target
    // still has although the source lacks it is left over.
    const isPast = views.every(
      ({ shard, covered }) => covered >= (this.compared.upTo.get(shard) ?? Infinity),
    );
    const differences: Difference[] = [];
    const moved: Doubt[] = [];
    let unknown = 0;
    let contested = 0;
    differing.forEach(([name, key], at) => {
      const wanted = expected.get(name);
      const found = held.get(name);
      const head = heads.get(name);
      const judged = judgeDocument({
        source: wanted,
        target: found,
        sourceNow: rewritesIds && wanted === undefined ? undefined : now[at],
        // Where ids are rewritten, another document of the snapshot may lead to this id. So a shard at rest proves
        // nothing there.
        isAtRest: wanted === undefined ? isWhole && !rewritesIds : resting.has(wanted.shard),
        ...(isPast && { targetBefore: head }),
      });
      const judgement = judgeInPlace(key, judged, found);
      const origin = wanted?.origin ?? (rewritesIds ? undefined : key);
      if (judgement === 'moved') moved.push({ origin, ...(head && { head }) });
      else if (judgement === 'unknown') unknown++;
      else if (judgement === 'contested') contested++;
      else if (judgement !== 'equal') differences.push(describe(judgement, key, wanted, found));
    });
    return { differences, moved, unknown, contested };
  }

  private get rewritesIds(): boolean {
    return this.reader.context.migration.transform?.rewritesIdentity === true;
  }

  private noteCovered(shard: number, covered: number): void {
    const before = this.toSeqNo[String(shard)] ?? covered;
    this.toSeqNo = { ...this.toSeqNo, [shard]: Math.min(before, covered) };
  }

  /** What documents of the source should be in the target. @returns by their keys in the target */
  private async expectNow(
    keys: readonly DocumentKey[],
    views: SourceViews['views'],
  ): Promise<ReadonlyMap<string, ExpectedDocument>> {
    const { reader } = this;
    const { source } = reader.context;
    const wanted = new Set(keys.map(documentKeyString));
    const expected = new Map<string, ExpectedDocument>();
    if (keys.length === 0) return expected;
    for (const { shard, pitId, keepAliveMs } of views) {
      for await (const page of reader.readWhole(source, { pitId, selection: byId(keys), keepAliveMs })) {
        const own = page.documents.filter((document) => wanted.has(documentKeyString(keyOf(document))));
        for (const document of await expectInTarget(reader, shard, own))
          expected.set(documentKeyString(document), detached(document));
      }
    }
    return expected;
  }

  /** What the target has of these keys, and of other keys with the same ids. @returns by their keys */
  private readTarget(keys: readonly DocumentKey[]): Promise<ReadonlyMap<string, ComparedDocument>> {
    const { reader, group } = this;
    const { target } = reader.context;
    return withOpenShards(reader, target, group.targetShards, async (open) => {
      const found = new Map<string, ComparedDocument>();
      for (const { pitId } of open) {
        for await (const page of reader.readWhole(target, { pitId, selection: byId(keys) })) {
          for (const each of page.documents) {
            const document = detached(toCompared(reader, each, each));
            found.set(documentKeyString(document), document);
          }
        }
      }
      return found;
    });
  }

  /** The operation that wrote each document of the source as it is now; undefined: it is not there. */
  private async headsNow(keys: readonly DocumentKey[]) {
    const { retrying, context } = this.reader;
    const answers = await retryingReads(retrying, (call) => getFromPrimaries(context.source, keys, call));
    return keys.map((key, at) => {
      const answer = requireElement(answers, at);
      // Another document with this id may lie in the same shard.
      return answer.found && answer.routing === key.routing ? answer : undefined;
    });
  }

  /**
   * Corrects a judgement for other writers: applications after the swap, shards that share a place before it.
   * @param before the documents that were set aside before the look at the target
   */
  private async rules(before: ReadonlySet<string>) {
    const { context, retrying, signal } = this.reader;
    const { target, migration } = context;
    const { phase, targetAtSwap = {} } = await readCurrent(context, signal);
    const records = await this.reader.readShards();
    const after = setAsideIn(records);
    /** A retry of a document that was set aside may have written what the look at the target did not show. */
    const ofMissing = (key: DocumentKey, judgement: Judgement): Judgement | undefined => {
      // A rehearsal must report what would be missing.
      if (judgement !== 'missing' || migration.options.rehearse === true) return undefined;
      const name = documentKeyString(key);
      if (after.has(name)) return 'equal';
      return before.has(name) ? 'moved' : undefined;
    };
    if (phase !== 'COMPLETED') {
      // Source shards write to these places in turn until the last round settles them.
      const contested = new Set(records.flatMap(({ contestedIds = [] }) => contestedIds));
      return (key: DocumentKey, judgement: Judgement) => {
        const isContested = judgement !== 'equal' && contested.has(key.id);
        return ofMissing(key, judgement) ?? (isContested ? 'contested' : judgement);
      };
    }
    const [{ shape }, checkpoints] = await retryingReads(retrying, (call) =>
      Promise.all([target.state.readRouting(call), target.state.readCheckpoints(call)]),
    );
    return (key: DocumentKey, judgement: Judgement, held: ComparedDocument | undefined) => {
      const known = ofMissing(key, judgement);
      if (known !== undefined) return known;
      const shard = shardOf(key, shape);
      return judgeAfterSwap(judgement, held, {
        swapSeqNo: ownValue(targetAtSwap, String(shard)) ?? -1,
        nowSeqNo: checkpoints.find((each) => each.shard === shard)?.maxSeqNo ?? Infinity,
      });
    };
  }
}

const setAsideIn = (records: readonly ShardRecord[]): ReadonlySet<string> =>
  new Set(allSetAside(records).map(({ id, routing }) => documentKeyString({ id, routing })));

const byId = (keys: readonly DocumentKey[]) =>
  ({ kind: 'ids', ids: [...new Set(keys.map(({ id }) => id))] }) as const;

function describe(
  kind: Difference['kind'],
  key: DocumentKey,
  wanted: ExpectedDocument | undefined,
  found: ComparedDocument | undefined,
): Difference {
  const { id, routing } = wanted?.origin ?? key;
  const fields = kind === 'source' && wanted && found ? differingFields(wanted.source, found.source) : [];
  return { kind, id, ...(routing !== undefined && { routing }), ...(fields.length > 0 && { fields }) };
}
