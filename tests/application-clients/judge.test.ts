import { judgeClient, Ledger } from './judge';

const met = { refusalsUnderTheBlock: 1, refusalsInTheCutover: 1, writesAfterTheSwap: 1 };

function ledgerOf(...lines: readonly object[]): Ledger {
  const ledger = new Ledger();
  for (const line of lines) ledger.note(JSON.stringify(line));
  return ledger;
}

const written = ledgerOf(
  { acknowledged: [{ id: 'a', revision: 0 }] },
  { refused: 2 },
  {
    acknowledged: [
      { id: 'a', revision: 1 },
      { id: 'b', revision: 0 },
      { id: 'c', revision: null },
    ],
  },
);

describe('the ledger of a writer', () => {
  test('holds the last state of each document, and counts', () => {
    expect(Object.fromEntries(written.documents)).toEqual({ a: 1, b: 0, c: null });
    expect(written).toMatchObject({ writes: 4, refusals: 2, failed: [] });
  });

  test('refuses a line that no writer prints', () => {
    expect(() => ledgerOf({ acknowledged: [{ id: 'a' }] })).toThrow('line of a writer');
    expect(() => {
      new Ledger().note('Traceback (most recent call last):');
    }).toThrow(SyntaxError);
  });
});

describe('a client', () => {
  const right: readonly (readonly [string, number])[] = [
    ['a', 1],
    ['b', 0],
  ];

  test('that has lost nothing', () => {
    expect(judgeClient(written, new Map(right), met)).toEqual([]);
  });

  test.each([
    ['a lost insert', [['a', 1]], 'b: revision 0 acknowledged, a delete found'],
    ['a lost update', [...right, ['a', 0]], 'a: revision 1 acknowledged, revision 0 found'],
    ['a lost delete', [...right, ['c', 3]], 'c: a delete acknowledged, revision 3 found'],
    ['a write that was never acknowledged', [...right, ['d', 1]], 'd: never acknowledged'],
  ] as const)('%s', (_, found, complaint) => {
    expect(judgeClient(written, new Map(found), met)).toEqual([complaint]);
  });

  test.each([
    ['refusalsUnderTheBlock', 'no refusal was met under the block'],
    ['refusalsInTheCutover', 'no refusal was met in the cutover'],
    ['writesAfterTheSwap', 'no write was acknowledged after the swap'],
  ] as const)('that shows nothing: %s of 0', (moment, complaint) => {
    expect(judgeClient(written, new Map(right), { ...met, [moment]: 0 })).toEqual([complaint]);
  });

  test('that gave up, or never wrote', () => {
    const gaveUp = ledgerOf(
      { acknowledged: [{ id: 'a', revision: 0 }] },
      { failed: ['403 security_exception'] },
    );
    expect(judgeClient(gaveUp, new Map([['a', 0]]), met)).toEqual(['given up: 403 security_exception']);
    expect(judgeClient(new Ledger(), new Map(), met)).toEqual(['no write was acknowledged']);
  });

  test('whose losses are many names some', () => {
    const many = ledgerOf({
      acknowledged: Array.from({ length: 8 }, (_, n) => ({ id: `d${n}`, revision: 0 })),
    });
    const complaints = judgeClient(many, new Map(), met);
    expect(complaints).toHaveLength(6);
    expect(complaints.at(-1)).toBe('and 3 more');
  });
});
