import { ClusterError } from '@aosc/engine';
import type { DocumentIndex, Position, StoredDocument } from '../document-index';

/** What becomes of one call. A read has no side effect: its answer arrives or is lost. */
export type Fate =
  | 'answered'
  /** executed, and the answer is lost */
  | 'no answer'
  | 'never arrived'
  /** executed, repeated inside the cluster, and the answer is the second one's */
  | 'repeated'
  /** the caller gets no answer; `land` executes the call */
  | 'arrives late';

/** `.aosc-migrations` in memory, as far as starts use it: every call can be lost on its way there or back. */
export class MemoryIndex {
  private readonly documents = new Map<string, StoredDocument>();
  private readonly late: (() => void)[] = [];
  private writes = 0;

  /** Executes the late calls. If the index refuses one by then, no caller learns of it. */
  land(): void {
    for (const write of this.late.splice(0)) {
      try {
        write();
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
      }
    }
  }

  forget(id: string): void {
    this.documents.delete(id);
  }

  /** @param fateOf called for each call, in order */
  connect(fateOf: () => Fate): DocumentIndex {
    const send = async <T>(carryOut: () => T): Promise<T> => {
      await Promise.resolve();
      const fate = fateOf();
      if (fate === 'arrives late') this.late.push(carryOut);
      else if (fate !== 'never arrived') {
        const answer = carryOut();
        if (fate === 'repeated') return carryOut();
        if (fate === 'answered') return answer;
      }
      throw new ClusterError('transient', 'no answer');
    };
    const read = (id: string): StoredDocument | undefined => this.documents.get(id);
    const getMany = (ids: readonly string[]) => send(() => ids.map(read));
    return {
      ensure: () => send(() => undefined),
      get: (id) => send(() => read(id)),
      getMany,
      getPositions: getMany,
      create: (id, body) => send(() => this.put(id, undefined, body)),
      replace: (id, before, body) => send(() => this.put(id, before, body)),
      createMany: (creations) =>
        send(() => creations.map(({ id, body }) => this.tryPut(id, undefined, body))),
      replaceMany: (writes) =>
        send(() => writes.map(({ id, before, body }) => this.tryPut(id, before, body))),
      remove: (id, before) =>
        send(() => {
          this.check(id, before);
          this.documents.delete(id);
        }),
      search: (body) =>
        send(() => {
          const { query } = body as { query: unknown };
          const documents = [...this.documents.values()].filter(({ record }) => matches(query, record));
          return { documents, total: documents.length, aggregations: undefined };
        }),
    };
  }

  private put(id: string, before: Position | undefined, record: object): Position {
    this.check(id, before);
    const document = { record, seqNo: ++this.writes, primaryTerm: 1 };
    this.documents.set(id, document);
    return document;
  }

  private tryPut(id: string, before: Position | undefined, record: object): Position | ClusterError {
    try {
      return this.put(id, before, record);
    } catch (error) {
      if (error instanceof ClusterError) return error;
      throw error;
    }
  }

  private check(id: string, before: Position | undefined): void {
    if (this.documents.get(id)?.seqNo !== before?.seqNo) throw new ClusterError('conflict', id);
  }
}

/** `bool` with `filter` and `should`, `term` and `terms`: the store's queries use nothing else. */
function matches(query: unknown, record: unknown): boolean {
  const { bool, term, terms } = query as {
    bool?: { filter?: unknown[]; should?: unknown[] };
    term?: Record<string, unknown>;
    terms?: Record<string, readonly unknown[]>;
  };
  const fields = record as Record<string, unknown>;
  if (term !== undefined) return Object.entries(term).every(([name, value]) => fields[name] === value);
  if (terms !== undefined)
    return Object.entries(terms).every(([name, values]) => values.includes(fields[name]));
  const { filter = [], should } = bool ?? {};
  return (
    filter.every((each) => matches(each, record)) &&
    (should === undefined || should.some((each) => matches(each, record)))
  );
}
