import { gather } from './gather';

interface Begun {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly resolve: (value: string) => void;
  readonly reject: (error: Error) => void;
}

type Read = (key: string, signal: AbortSignal) => Promise<string>;

/** All callers of a key get one answer. */
function shareReads(read: Read, most: number): Read {
  const share = gather<string, string>(
    { maxUnderWay: 1, keyOf: (key) => key, maxKeys: { most, refusal: () => new Error('too many keys') } },
    (asked, signal) => {
      const answer = read(asked[0], signal);
      return asked.map(() => answer);
    },
  );
  return (key, signal) => share(key, { signal });
}

function setUp(maxKeys = 2) {
  const begun: Begun[] = [];
  const begin: Read = (key, signal) =>
    new Promise((resolve, reject) => {
      begun.push({ key, signal, resolve, reject });
      signal.addEventListener('abort', () => reject(new Error('ended early')));
    });
  const read = shareReads(begin, maxKeys);
  const at = (index: number): Begun => {
    const found = begun[index];
    if (found === undefined) throw new Error(`no read ${index} has begun`);
    return found;
  };
  return { begun, at, read };
}
const never = new AbortController().signal;
/** Lets everything that can happen by itself happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('whoever asks while a read runs shares the next one, and never gets the one that had begun', async () => {
  const { begun, at, read } = setUp();
  const first = read('a', never);
  await settle();
  const others = [read('a', never), read('a', never), read('a', never)];
  expect(begun).toHaveLength(1);
  at(0).resolve('old');
  expect(await first).toBe('old');
  await settle();
  expect(begun).toHaveLength(2);
  at(1).resolve('new');
  expect(await Promise.all(others)).toEqual(['new', 'new', 'new']);
});

test('nothing is kept beyond a read', async () => {
  const { begun, at, read } = setUp();
  const first = read('a', never);
  await settle();
  at(0).resolve('one');
  await first;
  const second = read('a', never);
  await settle();
  expect(begun).toHaveLength(2);
  at(1).resolve('two');
  expect(await second).toBe('two');
});

test('a failed read is told to those who share it, and the next one runs', async () => {
  const { at, read } = setUp();
  const first = read('a', never);
  await settle();
  const next = read('a', never);
  at(0).reject(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await settle();
  at(1).resolve('well');
  expect(await next).toBe('well');
});

test('a read that throws at once is a failed one', async () => {
  const read = shareReads(() => {
    throw new Error('at once');
  }, 1);
  await expect(read('a', never)).rejects.toThrow('at once');
  await settle();
  await expect(read('b', never)).rejects.toThrow('at once');
});

test('one who leaves does not end the read of the others; the last one does', async () => {
  const { at, read } = setUp();
  const running = read('a', never);
  await settle();
  const [one, two] = [new AbortController(), new AbortController()];
  const left = [read('a', one.signal), read('a', two.signal)];
  at(0).resolve('first');
  await running;
  await settle();
  one.abort(new Error('gone 1'));
  await expect(left[0]).rejects.toThrow('gone 1');
  expect(at(1).signal.aborted).toBe(false);
  two.abort(new Error('gone 2'));
  await expect(left[1]).rejects.toThrow('gone 2');
  expect(at(1).signal.aborted).toBe(true);
});

test('a read that nobody waits for any more does not begin', async () => {
  const { begun, at, read } = setUp();
  const running = read('a', never);
  await settle();
  const leaving = new AbortController();
  const left = read('a', leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  at(0).resolve('first');
  await running;
  await settle();
  expect(begun).toHaveLength(1);
});

test('who comes after all have left waits for a read of their own', async () => {
  const { at, read } = setUp();
  const leaving = new AbortController();
  const left = read('a', leaving.signal);
  await settle();
  leaving.abort(new Error('gone'));
  const late = read('a', never);
  await expect(left).rejects.toThrow('gone');
  await settle();
  at(1).resolve('mine');
  expect(await late).toBe('mine');
});

test('no read for one who has left already', async () => {
  const { begun, read } = setUp();
  await expect(read('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(begun).toHaveLength(0);
});

test('keys are bounded, and make room for others', async () => {
  const { at, read } = setUp(2);
  const first = read('a', never);
  void read('b', never);
  await expect(read('c', never)).rejects.toThrow('too many keys');
  await settle();
  at(0).resolve('done');
  await first;
  await settle();
  void read('c', never);
  await settle();
  expect(at(2).key).toBe('c');
});
