import type { PlanAnswer } from '@aosc/contract';
import type { Trial } from './try-documents';

/** What was measured while the plan was made. */
export interface Measured {
  /** documents of the source */
  readonly count: number;
  readonly countMs: number;
  /** of the source's primaries */
  readonly storeBytes: number;
  /** of each shard of the target */
  readonly copies: number;
  /** of those that were read */
  readonly meanBytes: number;
  /** undefined: nothing was written */
  readonly written: Pick<Trial, 'written' | 'ms' | 'copied' | 'changeMs'> | undefined;
  /** bulks at the same time */
  readonly parallel: number;
  readonly writesPerSecond: number;
  /** operations that may be left when the cutover begins */
  readonly threshold: number;
}

/** Changes of the cluster's state in a cutover: the block, the swap, and the removal of the service's own names. */
const changesInCutover = 3;
/** Source and target are counted. */
const countsInCutover = 2;

/** What a migration will need, each with how it was found. Fields are left out where nothing was measured. */
export function estimate(measured: Measured): NonNullable<PlanAnswer['estimates']> {
  const { count, countMs, storeBytes, copies, meanBytes, written, parallel, writesPerSecond, threshold } =
    measured;
  const { copied } = written ?? {};
  const rate = copied === undefined ? 0 : perSecond(copied.documents, copied.ms);
  const writeRate = written && perSecond(written.written, written.ms);
  const left = Math.min(threshold, writesPerSecond * 2);
  return {
    documents: { value: count, how: 'counted on the primaries' },
    bytes: {
      value: Math.round(meanBytes * count),
      how: 'the mean of the documents that were read, times all documents',
    },
    disk_bytes: {
      value: storeBytes * copies,
      how: `the files of the source's primaries, times ${copies} ${copies === 1 ? 'copy' : 'copies'} of the target`,
    },
    ...(rate > 0 && {
      seconds: {
        value: Math.ceil(count / rate),
        how:
          `${Math.round(rate)} documents a second were copied for a while, by ${parallel} bulks at once; without a script, ` +
          'flow control, and waits for other migrations',
      },
    }),
    ...(written !== undefined &&
      writeRate !== undefined &&
      writeRate > 0 && {
        pause_ms: {
          value: Math.ceil(
            changesInCutover * written.changeMs + countsInCutover * countMs + (left / writeRate) * 1_000,
          ),
          how:
            `${changesInCutover} changes of the cluster's state of ${Math.round(written.changeMs)} ms, ${countsInCutover} counts of ` +
            `${Math.round(countMs)} ms, and ${Math.round(left)} operations that are left, at ${writesPerSecond.toFixed(1)} writes a second`,
        },
      }),
  };
}

const perSecond = (documents: number, ms: number): number => (ms > 0 ? (documents / ms) * 1_000 : 0);
