import { createMetrics } from './metrics';
import type { Readiness } from './readiness';
import { createRenderer } from './render-metrics';

const ready: Readiness = {
  ok: false,
  checks: [
    { name: 'opensearch', ok: true },
    { name: 'redis', ok: false },
  ],
};

function start(check: () => Promise<Readiness>) {
  const render = createRenderer(createMetrics('api'), check, () => []);
  return async () => (await render()).split('\n').filter((line) => line.startsWith('aosc_ready'));
}

test('the checks are asked at each look, and each is reported by itself', async () => {
  expect(await start(() => Promise.resolve(ready))()).toEqual([
    'aosc_ready{app="api"} 0',
    'aosc_ready_check{check="opensearch",app="api"} 1',
    'aosc_ready_check{check="redis",app="api"} 0',
  ]);
});

test('a check that throws is not ready', async () => {
  expect(await start(() => Promise.reject(new Error('away')))()).toEqual(['aosc_ready{app="api"} 0']);
});

test('a server that hangs does not keep the figures from coming', async () => {
  jest.useFakeTimers();
  try {
    const lines = start(() => new Promise(() => undefined))();
    await jest.advanceTimersByTimeAsync(6_500);
    expect(await lines).toEqual(['aosc_ready{app="api"} 0']);
  } finally {
    jest.useRealTimers();
  }
});

test('looks at the same time share one look at the servers', async () => {
  let asked = 0;
  const look = start(() => {
    asked += 1;
    return Promise.resolve(ready);
  });
  await Promise.all([look(), look()]);
  expect(asked).toBe(1);
  await look();
  expect(asked).toBe(2);
});
