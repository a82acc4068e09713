import { PassThrough } from 'node:stream';
import { ClusterError } from '@aosc/engine';
import { createLogger } from '@aosc/telemetry';
import { RedisSide } from './__tests__/two-sides';
import { watchInstallation } from './watch-installation';

test('a process that can not read or renew its names logs what it waits for, and not at every look', async () => {
  const lines: string[] = [];
  const stream = new PassThrough().on('data', (line: Buffer) => lines.push(line.toString()));
  const refusal = new ClusterError('blocked', 'the cluster is read-only');
  const ending = new AbortController();
  let looks = 0;
  const watch = watchInstallation(
    {
      cluster: { uuid: () => Promise.resolve('c') },
      store: {
        readInstallation: () => Promise.resolve(undefined),
        replaceInstallation: () => Promise.reject(refusal),
      },
      mark: new RedisSide(),
      clock: {
        now: () => 0,
        monotonic: () => looks,
        random: () => 0,
        sleep: () => new Promise(setImmediate),
      },
    },
    createLogger({ app: 'worker', level: 'info', stream }),
    ending.signal,
  );
  await new Promise<void>((resolve) => {
    watch.onLook(() => {
      looks += 1;
      if (looks === 20) resolve();
    });
  });
  ending.abort();
  expect(watch.state).toEqual({ type: 'unsettled', reason: 'not known yet: the cluster is read-only' });
  const logged = lines.filter((line) => line.includes('installation_unsettled'));
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('the cluster is read-only');
});
