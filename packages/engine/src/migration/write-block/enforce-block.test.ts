import { blockAlias } from '@aosc/domain';
import type { PrimaryCheckpoint } from '../../ports/index-state-port';
import { ClearBench, key } from '../runner/__tests__/clear-bench';
import { bindIndices, type StepContext } from '../step/context';
import { enforceBlock } from './enforce-block';

const checkpoint = (shard: number): PrimaryCheckpoint => ({
  shard,
  nodeId: 'n',
  state: 'STARTED',
  copiesAnswered: 1,
  maxSeqNo: 7,
  globalCheckpoint: 7,
  historyUuid: 'h',
});
const block = { requestedAtMillis: 1000, usersOwn: true, confirmed: false, lifted: false };

/** A source whose block is there already, so that no answer proves that its writes have ended. */
function createScene(parts: {
  readonly checkpoints?: readonly PrimaryCheckpoint[];
  readonly answered?: readonly string[];
  readonly running?: readonly string[];
}) {
  const bench = new ClearBench({ phase: 'CUTTING_OVER', sourceShardCount: 2, writeBlock: block });
  const { record } = bench;
  const bound = bindIndices(bench.context as Parameters<typeof bindIndices>[0], record);
  const { source } = bound;
  const context: StepContext = {
    ...bound,
    source: {
      ...source,
      cluster: {
        ...source.cluster,
        readView: () => Promise.resolve({ members: ['n/1', 'm/1'], aliases: [blockAlias(key)] }),
      },
      tasks: {
        ...source.tasks,
        listWrites: () =>
          Promise.resolve({ running: parts.running ?? [], answered: parts.answered ?? ['n', 'm'] }),
      },
      state: {
        ...source.state,
        describe: async (call) => {
          const described = await source.state.describe(call);
          return described && { ...described, settings: { 'index.blocks.write': 'true' } };
        },
        readCheckpoints: () => Promise.resolve(parts.checkpoints ?? [checkpoint(0), checkpoint(1)]),
      },
    },
  };
  return enforceBlock(context, record, block);
}

test('no write runs on any member, and every shard stands still: the block holds', async () => {
  expect(await createScene({})).toEqual({ state: 'confirmed' });
});

test.each([
  ['a write runs', { running: ['n:1'] }],
  ['a member has not told', { answered: ['n'] }],
  ['no member has told', { answered: [] }],
  ['a primary tells nothing, and twice the same', { checkpoints: [checkpoint(0)] }],
  ['no primary tells anything', { checkpoints: [] }],
])('%s: it is waited for', async (_, parts) => {
  expect(await createScene(parts)).toEqual({ state: 'draining' });
});
