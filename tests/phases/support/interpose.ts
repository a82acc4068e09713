import type { ClusterPort } from '@aosc/engine';
import type { Faults } from '../../races/support/faults';

/** Runs before each request of scheduler or job. @param what like `source.settings.put` */
type Before = (what: string, args: readonly unknown[]) => Promise<void>;

/** These answer at once, from memory. */
const unasked: readonly (keyof ClusterPort | 'index')[] = ['newestState', 'rememberState', 'index'];

/** Something before every single request to the cluster and to the records. */
export function beforeEachCall(before: Before): Faults {
  const each =
    (name: string) =>
    <P extends object>(real: P): Partial<P> => {
      const functions = Object.entries(real).filter(
        ([key, value]) => typeof value === 'function' && !unasked.some((one) => one === key),
      );
      const wrapped = functions.map(([key, value]) => [
        key,
        async (...args: unknown[]): Promise<unknown> => {
          await before(`${name}.${key}`, args);
          const answer: unknown = await Reflect.apply(value as () => unknown, real, args);
          return answer;
        },
      ]);
      return Object.fromEntries(wrapped) as Partial<P>;
    };
  const index = (side: string) => ({
    state: each(`${side}.state`),
    snapshots: each(`${side}.snapshots`),
    settings: each(`${side}.settings`),
    writes: each(`${side}.writes`),
    tasks: each(`${side}.tasks`),
  });
  return {
    cluster: each('cluster'),
    aliases: each('aliases'),
    source: index('source'),
    target: index('target'),
    store: each('store'),
  };
}
