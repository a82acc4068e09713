import { Registry } from 'prom-client';
import { createFigures } from './figures';
import { createFlowGauges } from './flow-gauges';

test('sums over the jobs that run, by work; pauses count once each', async () => {
  const registry = new Registry();
  const setFlow = createFlowGauges(createFigures(registry));
  const soon = Date.now() + 60_000;
  setFlow('a', { work: 'backfill', targetBytes: 100, concurrency: 2, pauses: 1 });
  setFlow('b', { work: 'backfill', targetBytes: 50, concurrency: 1, pauses: 0, pausedUntilMillis: soon });
  setFlow('c', { work: 'replay', targetBytes: 7, concurrency: 1, pauses: 0, pausedUntilMillis: 1 });
  setFlow('a', { work: 'backfill', targetBytes: 200, concurrency: 3, pauses: 4 });
  expect(lines(await registry.metrics())).toEqual([
    'aosc_flow_concurrency{work="backfill"} 4',
    'aosc_flow_concurrency{work="replay"} 1',
    'aosc_flow_jobs{work="backfill"} 2',
    'aosc_flow_jobs{work="replay"} 1',
    'aosc_flow_paused_jobs{work="backfill"} 1',
    'aosc_flow_paused_jobs{work="replay"} 0',
    'aosc_flow_target_bytes{work="backfill"} 250',
    'aosc_flow_target_bytes{work="replay"} 7',
    'aosc_pauses_total{work="backfill"} 4',
    'aosc_pauses_total{work="replay"} 0',
  ]);
  for (const job of ['a', 'b', 'c']) setFlow(job, undefined);
  const after = lines(await registry.metrics()).filter((line) => line.startsWith('aosc_flow'));
  expect(after.every((line) => line.endsWith(' 0'))).toBe(true);
});

const lines = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('aosc_'))
    .sort();
