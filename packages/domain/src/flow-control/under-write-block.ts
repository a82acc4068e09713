import type { WriterSettings } from './controller-transitions';

const basePauseMs = 250;
const maxPauseMs = 1000;

/**
 * The settings of a replay while the source's writes are blocked. Its last round is small, and applications can't write
 * during a pause. So pauses are short, and the shard reaches the limit of failures before the block outlasts its own
 * bound: the reason shown is then the cluster's.
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
