import type { MigrationRecord } from '@aosc/contract';
import { blockAlias } from '@aosc/domain';
import { ClusterError } from '../../ports/cluster-error';
import { ClearBench, coordinatorOf, createMigration, key } from '../runner/__tests__/clear-bench';
import { liftWithoutRecord } from './lift-without-record';

const tooLongMs = 100_000;
const cutover = { holdWriters: true, maxHoldMs: 10_000, maxPauseMs: Infinity };
const block = (requestedAtMillis: number) => ({
  requestedAtMillis,
  usersOwn: false,
  confirmed: true,
  lifted: false,
});
const settings = {
  'index.routing.allocation.enable': 'none',
  'index.number_of_replicas': '2',
  'index.write.wait_for_active_shards': 'all',
};
const hold = (requestedAtMillis: number) => ({
  requestedAtMillis,
  originals: {},
  put: settings,
  givenBack: false,
});
const attempt = (parts: Partial<MigrationRecord>) => createMigration({ phase: 'CATCHING_UP', ...parts });
const ended = { writeBlock: { ...block(1000), lifted: true }, undoneCount: 1 };

/** @param parts what the source shows, and what the read of the record answers */
async function lift(
  known: MigrationRecord,
  parts: {
    readonly read: () => Promise<MigrationRecord | undefined>;
    readonly block?: 'set';
    readonly settings?: Readonly<Record<string, string>>;
  },
) {
  const bench = new ClearBench(known);
  if (parts.block !== undefined) bench.blockStates.push(parts.block);
  const { cluster } = bench.context;
  const index: typeof cluster.index = (name, uuid) => {
    const real = cluster.index(name, uuid);
    const aliases = new Map(name === known.sourceIndex ? [[blockAlias(key), { json: '{}' }]] : []);
    const describe: typeof real.state.describe = async (call) => {
      const described = await real.state.describe(call);
      return described && { ...described, aliases, settings: parts.settings ?? {} };
    };
    return { ...real, state: { ...real.state, describe } };
  };
  const coordinator = coordinatorOf(bench, { cluster: { ...cluster, index }, cutover: () => cutover });
  return { outcome: await liftWithoutRecord(coordinator, known, parts.read), done: bench.done };
}

const gone = () => Promise.resolve(undefined);
const unreadable = () => Promise.reject(new ClusterError('transient', 'no answer'));

test.each([
  {
    what: 'an undo, and the next attempt blocks',
    known: attempt({ writeBlock: block(1000), undoing: 'too long' }),
    current: attempt({ ...ended, writeBlock: block(4000) }),
  },
  {
    what: 'an undo, and the next attempt holds writers',
    known: attempt({ writeHold: hold(1000), undoing: 'too long' }),
    current: attempt({ ...ended, writeHold: hold(4000) }),
  },
  {
    what: 'a hold that was too long, and a block came in its place',
    known: attempt({ writeHold: hold(-tooLongMs) }),
    current: attempt({ writeHold: hold(-tooLongMs), writeBlock: block(4000) }),
  },
])('$what: hold, block and token stay', async ({ known, current }) => {
  const read = () => Promise.resolve(current);
  expect(await lift(known, { read, block: 'set', settings })).toEqual({ outcome: 'not_ours', done: [] });
});

test.each([
  ['its record as it was', () => Promise.resolve(attempt({ writeBlock: block(-tooLongMs) }))],
  ['a record that is gone', gone],
  ['a record that can not be read', unreadable],
])('a block that is overdue, and %s: the block is lifted after the token', async (_, read) => {
  const known = attempt({ writeBlock: block(-tooLongMs) });
  const { outcome, done } = await lift(known, { read, block: 'set' });
  expect(outcome).toBe('lifted');
  expect(done).toEqual(['removed aosc-token', 'books {"index.blocks.write":null}']);
});

test.each([
  ['is gone', gone, 'not_ours', 'not_ours'],
  ['can not be read', unreadable, 'pending', 'lifted'],
] as const)('a record that %s, without a block or with a hold', async (_, read, ofBlock, ofHold) => {
  expect(await lift(attempt({ writeBlock: block(-tooLongMs) }), { read })).toEqual({
    outcome: ofBlock,
    done: [],
  });
  expect(await lift(attempt({ writeHold: hold(-tooLongMs) }), { read, settings })).toEqual({
    outcome: ofHold,
    done: [
      'books {"index.write.wait_for_active_shards":null,"index.number_of_replicas":null}',
      'books {"index.routing.allocation.enable":null}',
    ],
  });
});
