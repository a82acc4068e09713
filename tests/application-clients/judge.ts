import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';

/** What a writer prints, one JSON object per line. A revision of `null`: the document is deleted. */
const parseTold = createParser(
  'line of a writer',
  Type.Union([
    Type.Object({
      acknowledged: Type.Array(
        Type.Object({ id: Type.String(), revision: Type.Union([Type.Integer(), Type.Null()]) }),
      ),
    }),
    Type.Object({ refused: Type.Integer({ minimum: 1 }) }),
    Type.Object({ failed: Type.Array(Type.String(), { minItems: 1 }) }),
  ]),
);

/** Everything that one writer has reported so far. */
export class Ledger {
  /** the last state of each document that OpenSearch acknowledged */
  readonly documents = new Map<string, number | null>();
  /** acknowledged writes */
  writes = 0;
  /** refusals after which the writer tried again */
  refusals = 0;
  /** refusals after which it gave up */
  readonly failed: string[] = [];

  /** @throws for a line that no writer prints */
  note(line: string): void {
    const told = parseTold(JSON.parse(line));
    if ('refused' in told) this.refusals += told.refused;
    else if ('failed' in told) this.failed.push(...told.failed);
    else {
      for (const { id, revision } of told.acknowledged) this.documents.set(id, revision);
      this.writes += told.acknowledged.length;
    }
  }
}

/** Counters of a ledger at moments of the test. */
export interface Moments {
  readonly refusalsUnderTheBlock: number;
  readonly refusalsInTheCutover: number;
  readonly writesAfterTheSwap: number;
}

const samples = 5;

/**
 * Compares the answers that a client got with what the target holds, and judges whether it has met what it was to meet.
 * @param found revisions of this client's documents in the target, by id
 * @returns what is wrong; a client that met no refusal has shown nothing
 */
export function judgeClient(
  { documents, failed }: Pick<Ledger, 'documents' | 'failed'>,
  found: ReadonlyMap<string, number>,
  moments: Moments,
): readonly string[] {
  const lost = [...documents].flatMap(([id, revision]) => {
    const there = found.get(id) ?? null;
    return there === revision ? [] : [`${id}: ${describe(revision)} acknowledged, ${describe(there)} found`];
  });
  const unknown = [...found.keys()]
    .filter((id) => !documents.has(id))
    .map((id) => `${id}: never acknowledged`);
  return [
    ...(documents.size === 0 ? ['no write was acknowledged'] : []),
    ...(moments.refusalsUnderTheBlock === 0 ? ['no refusal was met under the block'] : []),
    ...(moments.refusalsInTheCutover === 0 ? ['no refusal was met in the cutover'] : []),
    ...(moments.writesAfterTheSwap === 0 ? ['no write was acknowledged after the swap'] : []),
    ...failed.map((reason) => `given up: ${reason}`),
    ...shorten(lost),
    ...shorten(unknown),
  ];
}

const describe = (revision: number | null): string =>
  revision === null ? 'a delete' : `revision ${revision}`;

function shorten(lines: readonly string[]): readonly string[] {
  const more = lines.length - samples;
  return more > 0 ? [...lines.slice(0, samples), `and ${more} more`] : lines;
}
