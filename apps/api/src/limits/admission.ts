import { AoscError } from '@aosc/contract';

/** Units that running work takes from. */
interface Share {
  readonly name: string;
  readonly units: number;
}

export interface Work {
  /** All shares must have room. They go from narrow to wide, and the first is the caller's own. */
  readonly shares: readonly [Share, ...Share[]];
  /** units that it takes of each share, at most as many as the smallest has */
  readonly weight: number;
  /** fires when the client has gone away: work that still waits does not begin then */
  readonly gone?: AbortSignal;
}

/** Keeps the caller's own units until the promise settles, although the work has ended. */
export type Hold = (until: Promise<unknown>) => void;

/** Makes work wait until all of its shares have room for it, in the order in which it came. */
export interface Admission {
  /**
   * @throws AoscError rate_limited when too much work waits, or this one for too long; unavailable when the caller has
   * gone
   */
  run<T>(work: Work, task: (hold: Hold) => Promise<T>): Promise<T>;
}

export interface AdmissionOptions {
  readonly maxWaiting: number;
  readonly maxWaitingOfCaller: number;
  readonly waitMs: number;
  /** the reason in the answer to a caller who finds no place */
  readonly busy: string;
}

interface Waiting extends Work {
  readonly enter: () => void;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { maxWaiting, maxWaitingOfCaller, waitMs, busy } = options;
  const units = countUnits();
  const waiting = new Set<Waiting>();

  /** Later work gets no units that the first in line lacks: heavy work would otherwise never begin. */
  function letIn(): void {
    const spoken = new Set<string>();
    for (const one of waiting) {
      const { shares, weight, gone } = one;
      if (gone?.aborted === true) continue;
      const lacking = shares.find((share) => spoken.has(share.name) || units.lackRoom(share, weight));
      if (lacking === undefined) one.enter();
      else spoken.add(lacking.name);
    }
  }

  function leave(shares: readonly Share[], weight: number): void {
    units.count(shares, -weight);
    letIn();
  }

  function enter(work: Work): Promise<void> {
    const ofCaller = [...waiting].filter(({ shares: [own] }) => own.name === work.shares[0].name).length;
    if (waiting.size >= maxWaiting || ofCaller >= maxWaitingOfCaller) {
      return Promise.reject(new AoscError('rate_limited', busy));
    }
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        work.gone?.removeEventListener('abort', leaveQueue);
        waiting.delete(one);
      };
      const giveUp = (error: AoscError) => (): void => {
        settle();
        reject(error);
        letIn();
      };
      const leaveQueue = giveUp(new AoscError('unavailable', 'The client went away before it had its turn'));
      const timer = setTimeout(giveUp(new AoscError('rate_limited', busy)), waitMs);
      const one: Waiting = {
        ...work,
        enter: () => {
          settle();
          units.count(work.shares, work.weight);
          resolve();
        },
      };
      waiting.add(one);
      if (work.gone?.aborted === true) leaveQueue();
      work.gone?.addEventListener('abort', leaveQueue);
      letIn();
    });
  }

  return {
    async run(work, task) {
      await enter(work);
      const [own, ...others] = work.shares;
      const held: Promise<unknown>[] = [];
      try {
        return await task((until) => held.push(until));
      } finally {
        leave(others, work.weight);
        void Promise.allSettled(held).then(() => leave([own], work.weight));
      }
    },
  };
}

/** Units that are taken of each share. */
function countUnits() {
  const used = new Map<string, number>();
  return {
    lackRoom: ({ name, units }: Share, weight: number): boolean => (used.get(name) ?? 0) + weight > units,
    count(shares: readonly Share[], weight: number): void {
      for (const { name } of shares) {
        const sum = (used.get(name) ?? 0) + weight;
        if (sum === 0) used.delete(name);
        else used.set(name, sum);
      }
    },
  };
}
