import type { WriterSettings } from './controller-transitions';

const basePauseMs = 250;
const maxPauseMs = 1000;

/**
 * The settings of a replay while the source's writes are blocked. Its last round is small, and every second of a pause
 * is one in which applications can't write: the pauses are short, and the limit of failures is reached before the block
 * has outlasted its own bound, so that the reason shown is the cluster's.
 */
export function underWriteBlock({ controllerType, controller }: WriterSettings): WriterSettings {
  const { overload } = controller;
  return {
    controllerType,
    controller: {
      ...controller,
      overload: {
        ...overload,
        basePauseMs: Math.min(overload.basePauseMs, basePauseMs),
        maxPauseMs: Math.min(overload.maxPauseMs, maxPauseMs),
      },
    },
  };
}
