import { readIndexSettings, UnexpectedAnswer } from '@aosc/testkit';
import type { Cluster } from '../../races/support/cluster';
import type { Harness } from '../../races/support/harness';
import { someSource } from '../../races/support/pairs';

/** How a write of an application ended. */
export type WriteEnd = 'written' | 'refused';

const call = { signal: new AbortController().signal };

async function unlessBlocked(writing: Promise<unknown>): Promise<WriteEnd> {
  try {
    await writing;
    return 'written';
  } catch (error) {
    if (error instanceof UnexpectedAnswer && error.answer.status === 403) return 'refused';
    throw error;
  }
}

export const write = (cluster: Cluster, harness: Harness, id: string): Promise<WriteEnd> =>
  unlessBlocked(cluster.put(harness.alias, { id }, someSource(id)));

/** The same, when it waits in the cluster. */
export async function writeAndWait(
  cluster: Cluster,
  harness: Harness,
  id: string,
): Promise<Promise<WriteEnd>[]> {
  const writing = write(cluster, harness, id);
  const { tasks } = cluster.ports.index(harness.source);
  while ((await tasks.listWrites(call)).running.length === 0);
  return [writing];
}

/** Of an application that wants no other copy than the primary, whatever the index says. */
export const writePast = (cluster: Cluster, harness: Harness, id: string): Promise<WriteEnd> =>
  unlessBlocked(
    cluster.send('PUT', `/${harness.source}/_doc/${id}?wait_for_active_shards=1`, {
      value: someSource(id),
    }),
  );

/** The document may be gone already. */
export const removePast = (cluster: Cluster, harness: Harness, id: string): Promise<WriteEnd> =>
  unlessBlocked(
    cluster
      .send('DELETE', `/${harness.source}/_doc/${id}?wait_for_active_shards=1`)
      .catch((error: unknown) => {
        if (!(error instanceof UnexpectedAnswer && error.answer.status === 404)) throw error;
      }),
  );

/** All settings of the source but the write block, which stays after a swap. */
export async function settingsOfSource(
  cluster: Cluster,
  { source }: Pick<Harness, 'source'>,
): Promise<Readonly<Record<string, string>>> {
  const { 'index.blocks.write': _block, ...others } = await readIndexSettings(cluster.http, source);
  return others;
}
