import { createParser } from '@aosc/contract';
import {
  callJson,
  compareIndices,
  createSourceIndex,
  createTargetIndex,
  describeMismatches,
  loadDocuments,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { someDocuments } from '../races/support/pairs';
import { type Environment, rightWhen, startEnvironment } from '../support/environment';

jest.setTimeout(600_000);

const writer = 'aosc.backfill.controller';
let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    settings: { [`${writer}.type`]: 'fixed', [`${writer}.batch.size`]: '3' },
  });
});
afterAll(() => environment.stop());

const parseTasks = createParser(
  'answer of _tasks',
  Type.Object({
    nodes: Type.Record(
      Type.String(),
      Type.Object({ tasks: Type.Record(Type.String(), Type.Object({ description: Type.String() })) }),
    ),
  }),
);

/** Documents of the bulks that the cluster is working on for an index at this moment. */
async function readBulkSizes(index: string): Promise<readonly number[]> {
  const path = '/_tasks?actions=indices:data/write/bulk%5Bs%5D&detailed=true';
  const { nodes } = await callJson(environment.http, parseTasks, 'GET', path);
  const descriptions = Object.values(nodes).flatMap(({ tasks }) =>
    Object.values(tasks).map(({ description }) => description),
  );
  return descriptions.flatMap((description) => {
    const size = new RegExp(`^requests\\[(\\d+)\\], index\\[${index}\\]`).exec(description)?.[1];
    return size === undefined ? [] : [Number(size)];
  });
}

/** Waits until most of the bulks seen last have this size: the end of a page may leave a smaller one. */
async function untilBulksOf(documents: number, index: string): Promise<void> {
  const seen: number[] = [];
  await rightWhen(`bulks of ${documents} documents`, async () => {
    seen.push(...(await readBulkSizes(index)));
    const last = seen.slice(-5);
    return last.length === 5 && last.filter((size) => size === documents).length >= 4;
  }).catch((error: unknown) => {
    throw new Error(`awaited bulks of ${documents} documents, saw ${seen.slice(-20).join(' ')}`, {
      cause: error,
    });
  });
}

test('settings that are changed while a migration runs show in the bulks that the cluster gets', () =>
  environment.keepingLogs(async () => {
    const { http, apiUrl, urls } = environment;
    const names = { source: 'live-v1', target: 'live-v2', alias: 'live' };
    await createSourceIndex(http, { name: names.source, alias: names.alias, shards: 1 });
    await createTargetIndex(http, { name: names.target, shards: 1 });
    await loadDocuments(http, names.alias, someDocuments(20_000));
    await startMigration(apiUrl, names);
    await untilBulksOf(3, names.target);
    await environment.putSettings({ [`${writer}.batch.size`]: '10' });
    await untilBulksOf(10, names.target);
    // Another type, which has limits of its own; the first one's are passed over from then on.
    await environment.putSettings({
      [`${writer}.batch.max_docs`]: '4',
      [`${writer}.type`]: 'adaptive_batch',
    });
    await untilBulksOf(4, names.target);
    await environment.putSettings({ [`${writer}.batch.max_docs`]: '15', [`${writer}.type`]: 'adaptive' });
    await untilBulksOf(15, names.target);
    await environment.putSettings({ [`${writer}.type`]: 'fixed', [`${writer}.batch.size`]: '500' });
    await waitForPhase(apiUrl, names.source, ['COMPLETED'], { intervalMs: 100 });
    const { mismatches, targetDocuments } = await compareIndices({ urls, ...names });
    expect(describeMismatches(mismatches)).toEqual([]);
    expect(targetDocuments).toBe(20_000);
  }));
