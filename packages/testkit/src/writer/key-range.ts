import type { Random } from '../random';
import { fitsUrl, type Operation, type OperationMix, type Purpose, purposes } from './operation';

/** Makes the JSON text of a document. Must depend on its arguments only. */
export type MakeDocument = (random: Random, document: { id: string; revision: number }) => string;

/** Must leave different ids different. */
export type SpellId = (plain: string, routing: string | undefined) => string;

export interface KeyRangeOptions {
  /** ids that this writer makes begin with it */
  readonly prefix: string;
  /** ids without routing that are in the index already and belong to this writer from now on */
  readonly adopt: readonly string[];
  readonly mix: OperationMix;
  /** write with routings of a small pool, which many ids share */
  readonly routed: boolean;
  /** write with versions that the application chooses */
  readonly externalVersions: boolean;
  /** the id of a new document, made from a plain one */
  readonly spellId: SpellId;
  readonly makeDocument: MakeDocument;
  /** JSON text of a partial update */
  readonly makePartial: MakeDocument;
}

interface Key {
  readonly id: string;
  readonly routing: string | undefined;
  revision: number;
  version: bigint | undefined;
  shared: boolean;
}

const routingPool = 12;
/** so many of the newest keys are the ones that move once more: a document that moves again and again */
const restless = 6;
/** deleted ids that are kept for re-creation; the oldest are forgotten */
const deletedLimit = 2_000;
/** half of the keys with external versions start beyond 2^53, where JSON numbers lose digits */
const largeVersion = 9_007_199_254_740_993n;

/**
 * The ids of one writer and what it does next with them. Plans only from its random numbers and assumes that each
 * operation succeeds, so the same seed gives the same operations whatever the cluster does.
 */
export class KeyRange {
  private readonly present: Key[];
  private readonly deleted: Key[] = [];
  /** deleted to be made again under another routing, in a later batch than that of the delete */
  private readonly moving: Key[] = [];
  private readonly retired = new Set<string>();
  private made = 0;

  constructor(
    private readonly random: Random,
    private readonly options: KeyRangeOptions,
  ) {
    this.present = options.adopt.map((id) => ({
      id,
      routing: undefined,
      revision: 0,
      version: undefined,
      shared: false,
    }));
  }

  /** Plans up to `size` operations on different ids. */
  planBatch(size: number): Operation[] {
    const inBatch = new Set<string>();
    const operations: Operation[] = [];
    for (let count = 0; count < size; count += 1) {
      const operation = this.plan(inBatch);
      inBatch.add(operation.id);
      operations.push(operation);
    }
    return operations;
  }

  /** This id is never written again: the outcome of its last operation isn't known. */
  retire(id: string): void {
    this.retired.add(id);
  }

  private plan(inBatch: ReadonlySet<string>): Operation {
    const arrival = this.takeArrival(inBatch);
    if (arrival !== undefined) return this.write('move', arrival);
    const purpose = this.pickPurpose();
    const from = purpose === 'recreate' ? this.deleted : purpose === 'insert' ? [] : this.present;
    const at = this.pickIndex(from, inBatch);
    const key = at === undefined ? undefined : from[at];
    if (at === undefined || key === undefined) return this.write('insert', this.makeKey());
    switch (purpose) {
      case 'insert':
      case 'update':
        return this.write('update', key);
      case 'partial':
        // a partial update needs its document, which may have been overwritten under another routing
        if (key.shared || key.version !== undefined) return this.write('update', key);
        return this.writePartial(key);
      case 'delete':
        takeAt(this.present, at);
        this.deleted.push(key);
        if (this.deleted.length > deletedLimit) this.deleted.shift();
        return this.remove(key);
      case 'recreate':
        takeAt(this.deleted, at);
        this.present.push(key);
        return this.write('recreate', key);
      case 'reroute':
        return this.reroute(key);
      case 'move':
        return this.depart(key, inBatch);
    }
  }

  /** The first half of a move; the next batch has the second. */
  private depart(drawn: Key, inBatch: ReadonlySet<string>): Operation {
    const newest = this.present.length - 1 - this.random.below(restless);
    const again = this.random.next() < 0.5 ? this.present[newest] : undefined;
    const key = again === undefined || inBatch.has(again.id) || this.retired.has(again.id) ? drawn : again;
    const routing = this.pickRouting();
    if (key.shared || key.version !== undefined || routing === key.routing) return this.write('update', key);
    takeAt(this.present, this.present.indexOf(key));
    const departure = this.remove(key);
    this.moving.push({ ...key, routing });
    return departure;
  }

  /** @returns the next key whose delete was acknowledged in a batch before; it is in the index from now on */
  private takeArrival(inBatch: ReadonlySet<string>): Key | undefined {
    const [key] = this.moving;
    if (key === undefined || inBatch.has(key.id)) return undefined;
    this.moving.shift();
    if (this.retired.has(key.id)) return undefined;
    this.present.push(key);
    return key;
  }

  private pickPurpose(): Purpose {
    const { mix } = this.options;
    const sum = purposes.reduce((total, purpose) => total + mix[purpose], 0);
    let at = this.random.next() * sum;
    for (const purpose of purposes) {
      at -= mix[purpose];
      if (at < 0) return purpose;
    }
    return 'insert';
  }

  /** @returns undefined when a few tries found no id that may be written now */
  private pickIndex(keys: Key[], inBatch: ReadonlySet<string>): number | undefined {
    for (let attempt = 0; attempt < 8 && keys.length > 0; attempt += 1) {
      const at = this.random.below(keys.length);
      const id = keys[at]?.id ?? '';
      if (this.retired.has(id)) takeAt(keys, at);
      else if (!inBatch.has(id)) return at;
    }
    return undefined;
  }

  private makeKey(): Key {
    const { prefix, routed, externalVersions, spellId } = this.options;
    this.made += 1;
    const routing = routed ? this.pickRouting() : undefined;
    const key: Key = {
      id: spellId(`${prefix}${this.made}`, routing),
      routing,
      revision: 0,
      version: externalVersions ? (this.random.next() < 0.5 ? 1n : largeVersion) : undefined,
      shared: false,
    };
    this.present.push(key);
    return key;
  }

  private pickRouting(): string {
    return `${this.options.prefix}route-${this.random.below(routingPool)}`;
  }

  private reroute(key: Key): Operation {
    const routing = this.pickRouting();
    if (key.routing === undefined || key.version !== undefined || routing === key.routing) {
      return this.write('update', key);
    }
    key.shared = true;
    const other: Key = { ...key, routing };
    this.present.push(other);
    return this.write('reroute', other);
  }

  private write(purpose: Purpose, key: Key): Operation {
    this.advance(key);
    const body = this.options.makeDocument(this.random, key);
    return { ...this.base(purpose, key), verb: 'index', body: fitted(key, body) };
  }

  private writePartial(key: Key): Operation {
    this.advance(key);
    const body = this.options.makePartial(this.random, key);
    return { ...this.base('partial', key), verb: 'update', body: fitted(key, body) };
  }

  private remove(key: Key): Operation {
    this.advance(key);
    return { ...this.base('delete', key), verb: 'delete', body: undefined };
  }

  private advance(key: Key): void {
    key.revision += 1;
    if (key.version !== undefined) key.version += BigInt(1 + this.random.below(1_000));
  }

  private base(purpose: Purpose, key: Key): Omit<Operation, 'verb' | 'body'> {
    const { id, routing, shared } = key;
    return { purpose, id, routing, shared, externalVersion: key.version };
  }
}

/** What can't stand in a URL goes by bulk, which can't carry line breaks. */
function fitted(key: Key, body: string): string {
  return fitsUrl(key) ? body : body.replace(/[\r\n]/g, ' ');
}

/** Removes an element in constant time; the last one takes its place. */
function takeAt(keys: Key[], at: number): void {
  const last = keys.pop();
  if (last !== undefined && at < keys.length) keys[at] = last;
}
