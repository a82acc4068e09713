import { setTimeout as sleep } from 'node:timers/promises';
import { type AskedKey, createRandom, type HttpClient, type Random } from '@aosc/testkit';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { makeDocument, numbers } from './documents';
import { drawKeys, type Key } from './keys';
import { drawMove, drawMovers, type Mover, settleMove } from './movers';
import { drawOddKeys } from './odd-keys';
import type { Plan } from './plan';
import { fitsBulk, fitsUrl, sendBulk, sendOne, unheld, type Write, type Written } from './write';

/** What the application's writes came to. */
export interface Tally {
  operations: number;
  deletes: number;
  /** documents that were made, deleted, and made again */
  recreations: number;
  /** of these: with a lower version than they had before */
  lowerVersions: number;
  /** documents that were deleted, and made again under another routing */
  moves: number;
  /** refused by OpenSearch, mostly for their version: part of an application's life */
  refused: number;
}

/** An application that uses the source index with several writers, each with keys of its own. */
export interface Application {
  readonly tally: Tally;
  /** all that it has chosen itself, as it sends them */
  readonly keys: readonly AskedKey[];
  /** the source takes no writes any more */
  readonly isBlocked: () => boolean;
  /** Writes with all writers at the same time until `operations` are done, or the source takes none. */
  write(operations: number, signal: AbortSignal): Promise<void>;
  /** The same with a writer that takes no part in {@link write}: it waits for nothing that is longer. */
  writeBetween(operations: number, signal: AbortSignal): Promise<void>;
}

const parseChanged = createParser(
  'answer by query',
  Type.Object({ deleted: Type.Optional(Type.Integer()), updated: Type.Optional(Type.Integer()) }),
);
const largestBulk = 12;
/** so many of the writes go to documents that move, where there are any */
const moverShare = 0.5;
const passesShare = 0.1;

export function createApplication(http: HttpClient, index: string, plan: Plan): Application {
  const random = createRandom(plan.seed + 1);
  const tally: Tally = { operations: 0, deletes: 0, recreations: 0, lowerVersions: 0, moves: 0, refused: 0 };
  const keys = [...drawKeys(random, plan), ...drawOddKeys(createRandom(plan.seed + 5), plan)];
  const movers = drawMovers(createRandom(plan.seed + 4), plan);
  const state = { blocked: false };
  const createWriter = (n: number): Writer => {
    const isOwn = (_: unknown, at: number): boolean => at % (plan.writers + 1) === n;
    const own = { keys: keys.filter(isOwn), movers: movers.filter(isOwn) };
    // The service waits for the writer between its calls: a hold of writers must not.
    const passes = n === plan.writers ? 1 : passesShare;
    return new Writer(http, index, plan, createRandom(plan.seed * 31 + n), own, tally, state, passes);
  };
  const writers = Array.from({ length: plan.writers }, (_, n) => createWriter(n));
  const between = createWriter(plan.writers);
  return {
    tally,
    keys: [...keys, ...movers].flatMap(({ id, routings }) => routings.map((routing) => ({ id, routing }))),
    isBlocked: () => state.blocked,
    writeBetween: (operations, signal) => between.write(operations, signal),
    async write(operations, signal) {
      const each = Math.ceil(operations / writers.length);
      await Promise.all(writers.map((writer) => writer.write(each, signal)));
    },
  };
}

class Writer {
  /** versions of the lives that documents have had; undefined: it was never made */
  private readonly lives = new Map<string, bigint>();
  private readonly deleted = new Set<string>();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly http: HttpClient,
    private readonly index: string,
    private readonly plan: Plan,
    private readonly random: Random,
    private readonly own: { readonly keys: readonly Key[]; readonly movers: readonly Mover[] },
    private readonly tally: Tally,
    private readonly state: { blocked: boolean },
    /** how likely a write waits for no other copies, where writers are held */
    private readonly passesShare: number,
  ) {}

  /** One call at a time: a writer waits for its answers. */
  write(operations: number, signal: AbortSignal): Promise<void> {
    this.running = this.running.then(() => this.run(operations, signal));
    return this.running;
  }

  private async run(operations: number, signal: AbortSignal): Promise<void> {
    for (let left = operations; left > 0 && !this.state.blocked && !signal.aborted;) {
      const passesHold = this.plan.holdsWriters && this.random.next() < this.passesShare;
      const kind = this.random.next();
      if (kind < 0.01) {
        const endpoint = this.random.next() < 0.5 ? '_delete_by_query' : '_update_by_query';
        await this.changeByQuery(endpoint, passesHold);
        left -= 1;
      } else if (kind < 0.4) {
        const write = this.draw(new Set());
        if (fitsUrl(write)) this.settle(write, await sendOne(this.http, this.index, write, passesHold));
        left -= 1;
      } else {
        const moving = new Set<Mover>();
        const drawn = Array.from({ length: 1 + this.random.below(largestBulk) }, () => this.draw(moving));
        const writes = drawn.filter(fitsBulk);
        const answers = writes.length === 0 ? [] : await sendBulk(this.http, this.index, writes, passesHold);
        writes.forEach((write, at) => this.settle(write, answers[at]));
        left -= writes.length;
      }
      if (this.random.next() < 0.1) await sleep(this.random.below(30));
    }
  }

  /** @param moving those with a write in this bulk already: what goes to several shards has no order */
  private draw(moving: Set<Mover>): Write {
    const { random, plan } = this;
    const { keys, movers } = this.own;
    if (movers.length > 0 && random.next() < moverShare) {
      const mover = movers[random.below(movers.length)];
      if (mover !== undefined && !moving.has(mover)) {
        moving.add(mover);
        return drawMove(random, mover, makeDocument(random, plan, mover.id, random.next() < 0.5));
      }
    }
    const key = keys[random.below(keys.length)];
    const auto = key === undefined || random.next() < 0.05;
    const routing = auto
      ? plan.routingRequired
        ? 'auto'
        : undefined
      : key.routings[random.below(key.routings.length)];
    const body = makeDocument(random, plan, key?.id ?? '', routing !== undefined && random.next() < 0.5);
    if (auto) return { verb: 'index', id: undefined, routing, versioning: 'internal', version: 0n, body };
    const { id, versioning } = key;
    const kind = random.next();
    const verb = kind < 0.65 ? 'index' : kind < 0.92 || versioning !== 'internal' ? 'delete' : 'update';
    // as if it were new again: refused until the delete is forgotten
    const low = verb === 'index' && random.next() < (this.deleted.has(id) ? 0.6 : 0.1);
    if (!low) key.version += BigInt(random.below(versioning === 'external_gte' ? 2 : 3));
    return { verb, id, routing, versioning, version: low ? 1n : key.version, body };
  }

  private settle(write: Write, answer: Written | undefined): void {
    if (answer === undefined) throw new Error('a bulk item without an answer');
    const { verb, id, routing } = write;
    const { status, result, version, reason } = answer;
    const mover = this.own.movers.find((each) => each.id === id);
    if (mover !== undefined && settleMove(mover, write, answer)) this.tally.moves += 1;
    if (status === 403) {
      this.state.blocked = true;
      return;
    }
    // an update parses the document and writes its text, which OpenSearch can't do with every document that it has taken
    if (status === 409 || status === 429 || (verb === 'update' && status === 400)) {
      this.tally.refused += 1;
      return;
    }
    if (status === 404) return;
    if (status >= 300 || version === undefined) {
      throw new Error(`the source refuses ${verb} of ${id ?? ''}: ${status} ${reason ?? ''}`);
    }
    this.tally.operations += 1;
    if (result === 'deleted') this.tally.deletes += 1;
    if (id !== undefined && result === 'deleted') this.deleted.add(id);
    else if (id !== undefined) this.deleted.delete(id);
    const key = JSON.stringify([id, routing]);
    const before = this.lives.get(key);
    if (result === 'created' && id !== undefined) {
      if (before !== undefined) this.tally.recreations += 1;
      if (before !== undefined && version < before) this.tally.lowerVersions += 1;
    }
    this.lives.set(key, version);
  }

  private async changeByQuery(
    endpoint: '_delete_by_query' | '_update_by_query',
    passesHold: boolean,
  ): Promise<void> {
    const from = this.random.below(numbers);
    const answer = await this.http.send({
      method: 'POST',
      path: `/${this.index}/${endpoint}?conflicts=proceed&refresh=true${passesHold ? `&${unheld.join('=')}` : ''}`,
      body: JSON.stringify({
        query: { range: { n: { gte: from, lt: from + numbers / 10 } } },
        ...(endpoint === '_update_by_query' && this.random.next() < 0.5
          ? { script: { source: 'ctx._source.n = params.n', params: { n: this.random.below(numbers) } } }
          : {}),
      }),
    });
    if (answer.status === 403) this.state.blocked = true;
    else if (answer.status === 400 || answer.status === 409) this.tally.refused += 1;
    else if (answer.status >= 300) {
      throw new Error(`${endpoint}: ${answer.status} ${answer.body.toString('utf8', 0, 500)}`);
    }
    if (answer.status >= 300) return;
    const { deleted = 0, updated = 0 } = parseChanged(JSON.parse(answer.body.toString('utf8')));
    this.tally.operations += deleted + updated;
    this.tally.deletes += deleted;
  }
}
