import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceProcess } from '@aosc/local-stack';
import type { Random } from '@aosc/testkit';
import type { Environment } from './environment';

/** A worker was killed, or paused for a while. */
export interface Incident {
  readonly kind: 'killed' | 'paused';
  readonly worker: ServiceProcess;
  /** epoch ms */
  readonly at: number;
}

export interface WorkerUnrest {
  readonly incidents: readonly Incident[];
  /** Lets every worker go on. @throws what broke it */
  stop(): Promise<void>;
}

const restMs = { min: 1000, spread: 4000 } as const;
/** Some are over before the worker's locks are, some long after. */
const pauseMs = { min: 500, spread: 7500 } as const;
const mostPaused = 2;

/** Kills workers, each of which is replaced, and pauses others, one incident after the other. */
export function startWorkerUnrest(environment: Environment, random: Random): WorkerUnrest {
  const incidents: Incident[] = [];
  const paused = new Map<ServiceProcess, Promise<void>>();
  const ending = new AbortController();
  const rest = ({ min, spread }: typeof restMs | typeof pauseMs): Promise<void> =>
    pause(min + random.below(spread), undefined, { signal: ending.signal }).catch(() => undefined);

  const pauseOne = async (worker: ServiceProcess): Promise<void> => {
    await worker.kill('SIGSTOP');
    await rest(pauseMs);
    await worker.kill('SIGCONT');
    paused.delete(worker);
  };
  const disturb = async (): Promise<void> => {
    const [first, ...others] = environment.workers().filter((worker) => !paused.has(worker));
    if (first === undefined) throw new Error('every worker is paused');
    const worker = random.pick([first, ...others]);
    const kind = random.next() < 0.5 || paused.size >= mostPaused ? 'killed' : 'paused';
    incidents.push({ kind, worker, at: Date.now() });
    if (kind === 'paused') {
      paused.set(worker, pauseOne(worker));
      return;
    }
    await worker.kill();
    await environment.service.startWorker();
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await rest(restMs);
      if (isOver(ending.signal)) break;
      await disturb();
    }
    await Promise.all(paused.values());
  };
  const running = run();
  running.catch(() => undefined);
  return {
    incidents,
    stop: () => {
      ending.abort();
      return running;
    },
  };
}

function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
