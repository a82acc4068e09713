import { AoscError } from '@aosc/contract';
import { onAbort, timeLimit } from '@aosc/signals';

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
  /** asked at each turn: late work waits behind all other work */
  readonly isLate?: () => boolean;
  /** fires when the client has gone away: work that still waits does not begin then */
  readonly gone?: AbortSignal;
}

/** Keeps the caller's own units until the promise settles, although the work has ended. */
export type Hold = (until: Promise<unknown>) => void;

interface AdmissionOptions {
  readonly maxWaiting: number;
  readonly maxWaitingOfCaller: number;
  readonly waitMs: number;
  /** the reason in the answer to a caller who finds no place */
  readonly busy: string;
}

export type Admission = ReturnType<typeof createAdmission>;

/** Makes work wait until all of its shares have room for it, in the order in which it came, and late work behind the rest. */
export function createAdmission({ maxWaiting, maxWaitingOfCaller, waitMs, busy }: AdmissionOptions) {
  /** Units that are taken, by the name of their share. */
  const used = new Map<string, number>();
  /** Work that waits, and how it begins. */
  const waiting = new Map<Work, () => void>();

  /** Later work gets no units that the first in line lacks: heavy work would otherwise never begin. */
  function letIn(): void {
    const spoken = new Set<string>();
    const isLate = ([work]: readonly [Work, unknown]): boolean => work.isLate?.() === true;
    const inTurn = [...waiting];
    const [prompt, late] = [inTurn.filter((entry) => !isLate(entry)), inTurn.filter(isLate)];
    for (const [{ shares, weight, gone }, begin] of [...prompt, ...late]) {
      if (gone?.aborted === true) continue;
      const lacking = shares.find(
        ({ name, units }) => spoken.has(name) || (used.get(name) ?? 0) + weight > units,
      );
      if (lacking === undefined) begin();
      else spoken.add(lacking.name);
    }
  }

  function take(shares: readonly Share[], weight: number): void {
    for (const { name } of shares) {
      const sum = (used.get(name) ?? 0) + weight;
      if (sum === 0) used.delete(name);
      else used.set(name, sum);
    }
  }

  function giveBack(shares: readonly Share[], weight: number): void {
    take(shares, -weight);
    letIn();
  }

  async function enter(work: Work): Promise<void> {
    const ofCaller = [...waiting.keys()].filter(({ shares: [own] }) => own.name === work.shares[0].name);
    const tooMuch = new AoscError('rate_limited', busy);
    if (waiting.size >= maxWaiting || ofCaller.length >= maxWaitingOfCaller) throw tooMuch;
    const end = timeLimit(waitMs, ...(work.gone ? [work.gone] : []));
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(work);
        reject(
          work.gone?.aborted === true
            ? new AoscError('unavailable', 'The client went away before it had its turn')
            : tooMuch,
        );
        letIn();
      };
      const forget = onAbort(end, leave);
      waiting.set(work, () => {
        forget();
        waiting.delete(work);
        take(work.shares, work.weight);
        resolve();
      });
      if (end.aborted) leave();
      else letIn();
    });
  }

  return {
    /** @throws AoscError rate_limited: too much waits, or this for too long; unavailable: the caller has gone */
    async run<T>(work: Work, task: (hold: Hold) => Promise<T>): Promise<T> {
      await enter({ ...work });
      const [own, ...others] = work.shares;
      const held: Promise<unknown>[] = [];
      try {
        return await task((until) => held.push(until));
      } finally {
        giveBack(others, work.weight);
        void Promise.allSettled(held).then(() => giveBack([own], work.weight));
      }
    },
  };
}
