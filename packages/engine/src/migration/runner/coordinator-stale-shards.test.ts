import { ClearBench, coordinatorOf, key } from './__tests__/clear-bench';
import { ClusterError } from '../../ports/cluster-error';
import { advanceMigration } from './coordinator';

const writeBlock = { requestedAtMillis: 2000, usersOwn: false, confirmed: true, lifted: false };

function elementOf<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('not there');
  return found;
}

/**
 * A scheduler has read the migration in CATCHING_UP with its shards beside it, of which one still runs. Before it has confirmed
 * that record, another one has seen the last shard end and has moved the migration on.
 */
test('shards read beside an older record do not serve the phase that another scheduler has come to', async () => {
  const bench = new ClearBench({ phase: 'CATCHING_UP', writeBlock }, { phase: 'CATCHING_UP' });
  const { context } = bench;
  const { store } = context;
  const known = elementOf(await store.readMigration(key, context));
  const knownShards = await store.readShards(key, 1, context);

  const shard = elementOf(knownShards[0]);
  await store.replaceShard(shard, { ...shard.record, phase: 'COMPLETING', finalDocumentCount: 8 }, context);
  await store.replaceMigration(known, { ...known.record, phase: 'COMPLETING' }, context);

  const looks: unknown[] = [];
  const coordinator = coordinatorOf(bench, {
    store: {
      ...store,
      // As the store does for a record that this process has not written.
      confirmMigration: (found, call) => store.replaceMigration(found, found.record, call),
    },
    onLook(record, shards) {
      looks.push([record.phase, shards.map(({ phase }) => phase)]);
      // What the step itself comes to is not of interest.
      throw new ClusterError('transient', 'seen enough');
    },
  });
  await expect(advanceMigration(coordinator, key, { known, knownShards })).rejects.toThrow('seen enough');
  expect(looks).toEqual([['COMPLETING', ['COMPLETING']]]);
});
