import { ClusterError } from './cluster-error';
import { compareAndSet, unlessConflict } from './compare-and-set';

const conflict = () => new ClusterError('conflict', 'version conflict');

/** A record that others write so many times, each time between a read and the write after it. */
function contended(timesByOthers: number) {
  let value = 0;
  let left = timesByOthers;
  return {
    read: () => value,
    write(before: number, after: number): Promise<number> {
      if (left > 0) {
        left--;
        value += 100;
      }
      if (before !== value) return Promise.reject(conflict());
      value = after;
      return Promise.resolve(value);
    },
  };
}

const addOne = (record: ReturnType<typeof contended>, tries?: number) =>
  compareAndSet(() => {
    const before = record.read();
    return Promise.resolve({ write: () => record.write(before, before + 1) });
  }, tries);

test('a change is made on top of those that others make meanwhile', async () => {
  expect(await addOne(contended(0))).toBe(1);
  expect(await addOne(contended(3))).toBe(301);
});

test('an attempt that has nothing to write ends it', async () => {
  const attempts: number[] = [];
  const result = await compareAndSet((attempt) => {
    attempts.push(attempt);
    return Promise.resolve(
      attempt === 3 ? { result: 'done already' } : { write: () => Promise.reject(conflict()) },
    );
  });
  expect(result).toBe('done already');
  expect(attempts).toEqual([1, 2, 3]);
});

test('the tries have a bound, and the last conflict is thrown', async () => {
  expect(await addOne(contended(9))).toBe(901);
  await expect(addOne(contended(10))).rejects.toMatchObject({ kind: 'conflict' });
  expect(await addOne(contended(1), 2)).toBe(101);
  await expect(addOne(contended(2), 2)).rejects.toMatchObject({ kind: 'conflict' });
});

test.each(['transient', 'overload', 'aborted'] as const)(
  'a write that fails as %s is not repeated',
  async (kind) => {
    const write = jest.fn(() => Promise.reject(new ClusterError(kind, 'the answer was lost')));
    await expect(compareAndSet(() => Promise.resolve({ write }))).rejects.toMatchObject({ kind });
    expect(write).toHaveBeenCalledTimes(1);
  },
);

test('a conflict that the attempt itself throws is not repeated', async () => {
  const attempt = jest.fn(() => Promise.reject(conflict()));
  await expect(compareAndSet(attempt)).rejects.toMatchObject({ kind: 'conflict' });
  expect(attempt).toHaveBeenCalledTimes(1);
});

test('one write alone: undefined tells of a conflict, anything else is thrown', async () => {
  expect(await unlessConflict(() => Promise.resolve({ seqNo: 1 }))).toEqual({ seqNo: 1 });
  expect(await unlessConflict<object>(() => Promise.reject(conflict()))).toBeUndefined();
  const lost = new ClusterError('transient', 'the answer was lost');
  await expect(unlessConflict(() => Promise.reject(lost))).rejects.toBe(lost);
});
