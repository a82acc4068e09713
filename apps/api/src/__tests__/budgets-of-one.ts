import type { Budgets } from '@aosc/queue';

/** Budgets of only this process, whose time the test sets. */
export function budgetsOfOne(now: () => number): Pick<Budgets, 'budget' | 'marks'> {
  return {
    budget({ points, seconds }) {
      const used = new Map<string, { points: number; untilMs: number }>();
      const usedBy = (key: string) => {
        const before = used.get(key);
        const current =
          before !== undefined && before.untilMs > now()
            ? before
            : { points: 0, untilMs: now() + seconds * 1000 };
        used.set(key, current);
        return current;
      };
      return {
        take(key, wanted = 1) {
          const current = usedBy(key);
          current.points += wanted;
          return Promise.resolve(current.points <= points ? 0 : Math.ceil((current.untilMs - now()) / 1000));
        },
        giveBack(key, given) {
          usedBy(key).points -= given;
          return Promise.resolve();
        },
      };
    },
    marks() {
      const marked = new Map<string, number>();
      return {
        set: (key, seconds) => Promise.resolve(void marked.set(key, now() + seconds * 1000)),
        has: (key) => Promise.resolve((marked.get(key) ?? -Infinity) > now()),
      };
    },
  };
}
