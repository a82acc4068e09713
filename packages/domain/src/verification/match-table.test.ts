import { hash } from 'node:crypto';
import fc from 'fast-check';
import type { Print } from '../replication/print-table';
import { MatchTable, matchTableBytes } from './match-table';

const printOf = (text: string): Print => {
  const bytes = hash('sha256', text, 'buffer');
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
};

test('in whatever order the target shows its documents, exactly those are unmet that it does not have', () => {
  const names = fc.uniqueArray(fc.string(), { maxLength: 60 });
  fc.assert(
    fc.property(names, names, (source, target) => {
      const table = new MatchTable(source.length);
      source.forEach((name, at) => {
        expect(table.expect(printOf(name), { shard: at % 3, seqNo: at })).toBe(true);
      });
      for (const name of target) expect(table.meet(printOf(name))).toBe(source.includes(name));
      const unmet = [...table.unmet()].toSorted((a, b) => a.seqNo - b.seqNo);
      const left = source.flatMap((name, seqNo) =>
        target.includes(name) ? [] : [{ shard: seqNo % 3, seqNo }],
      );
      expect(unmet).toEqual(left);
    }),
  );
});

test('more documents than were announced are refused', () => {
  const table = new MatchTable(1);
  expect(table.expect(printOf('a'), { shard: 0, seqNo: 0 })).toBe(true);
  expect(table.expect(printOf('b'), { shard: 0, seqNo: 1 })).toBe(false);
});

test('ten million documents take less than half a gigabyte', () => {
  expect(matchTableBytes(10_000_000)).toBeLessThan(2 ** 29);
});
