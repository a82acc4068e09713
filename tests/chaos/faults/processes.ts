import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '@aosc/local-stack';
import { lockDurationMs } from '../arena';
import type { Fault, Victim } from '../fault';

type App = 'api' | 'worker' | 'scheduler';

function running({ arena, random }: Victim, app: App): ServiceProcess {
  const { service } = arena.environment;
  const all = app === 'api' ? [service.api] : app === 'worker' ? service.workers : service.schedulers;
  const [first, ...others] = all.filter((process) => process.isRunning());
  if (first === undefined) throw new Error(`no ${app} is running`);
  return random.pick([first, ...others]);
}

async function replace({ arena }: Victim, app: App): Promise<void> {
  const { service } = arena.environment;
  if (app === 'api') await service.startApi();
  else if (app === 'worker') await service.startWorker();
  else await service.startScheduler();
}

const kill = (app: App): Fault => ({
  name: `${app}_kill`,
  what: `kill -9 of ${app === 'worker' ? 'one of two workers' : `the ${app}`}; another starts within 3 s`,
  demand: 'exact',
  async strike(victim) {
    await running(victim, app).kill();
    await sleep(victim.random.below(3000));
    await replace(victim, app);
  },
});

/** Longer than its locks, so that another process has gone on when this one wakes up. */
const pause = (app: App): Fault => ({
  name: `${app}_pause`,
  what: `SIGSTOP of ${app === 'worker' ? 'one of two workers' : `the ${app}`} for 4 to 15 s (locks: 3 s, silence of a worker: 10 s), then SIGCONT; now and then another one is started meanwhile`,
  demand: 'exact',
  async strike(victim) {
    const { random } = victim;
    const asleep = running(victim, app);
    await asleep.kill('SIGSTOP');
    const woken = sleep(lockDurationMs + 1000 + random.below(11_000)).then(() => asleep.kill('SIGCONT'));
    if (app !== 'api' && random.next() < 0.5) await replace(victim, app);
    await woken;
  },
});

export const processFaults: readonly Fault[] = (['api', 'worker', 'scheduler'] as const).flatMap((app) => [
  kill(app),
  pause(app),
]);
