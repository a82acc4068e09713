import type { PassedCall } from './counting-proxy';
import { Ledger, longestRow } from './ledger';

const names = { source: 'books-v1', target: 'books-v2', alias: 'books' };
const record = '/.aosc-migrations/_doc/m-0123456789abcdef0123';

function call(
  method: string,
  path: string,
  from: number,
  to: number,
  more: Partial<PassedCall> = {},
): PassedCall {
  return { method, path, from, to, opaqueId: 'm', body: Buffer.alloc(0), status: 200, ...more };
}
const phase = (name: string, at: number): PassedCall =>
  call('PUT', record, at, at + 1, { body: Buffer.from(`{"phase":"${name}"}`) });

test('requests are counted by phase and kind, and those under the block are told', () => {
  const ledger = new Ledger(names);
  ledger.note(call('GET', '/', 0, 1, { opaqueId: 'aosc-api' }));
  ledger.note(phase('ACTIVE', 1));
  ledger.note(call('POST', '/books-v1/_search', 2, 3));
  ledger.note(call('GET', record, 2, 3, { opaqueId: 'aosc-api' }));
  ledger.note(phase('CUTTING_OVER', 4));
  ledger.note(call('PUT', '/books-v1/_block/write', 10, 20));
  ledger.note(call('POST', '/books-v1/_refresh', 20, 30));
  ledger.note(call('GET', '/books-v1/_stats', 21, 25));
  const swap = Buffer.from('{"actions":[{"add":{"index":"books-v2","alias":"books"}}]}');
  ledger.note(call('POST', '/_aliases', 30, 40, { body: swap }));
  ledger.note(call('DELETE', '/_search/point_in_time', 41, 42));
  const { all, byPhase, byKind, kindsByPhase, underBlock, inARow, blockMs } = ledger.read();
  expect(all).toBe(9);
  expect(byPhase).toEqual({ START: 2, ACTIVE: 2, CUTTING_OVER: 5 });
  expect(byKind[0]).toEqual(['PUT records/_doc/migration', 2]);
  expect(kindsByPhase.ACTIVE).toEqual([
    ['POST source/_search', 1],
    ['PUT records/_doc/migration', 1],
  ]);
  expect(underBlock.map(({ name, fromMs, toMs }) => [name, fromMs, toMs])).toEqual([
    ['PUT source/_block/write', 0, 10],
    ['POST source/_refresh', 10, 20],
    ['GET source/_stats', 11, 15],
    ['POST _aliases', 20, 30],
  ]);
  expect([inARow, blockMs]).toEqual([3, 30]);
});

test('the longest row counts what can follow each other', () => {
  expect(longestRow([])).toBe(0);
  expect(
    longestRow([
      { from: 0, to: 10 },
      { from: 1, to: 2 },
      { from: 2, to: 3 },
      { from: 9, to: 12 },
    ]),
  ).toBe(3);
});
