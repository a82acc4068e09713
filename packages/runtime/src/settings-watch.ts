import { resolveSettings, type Settings } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { startTicks } from '@aosc/signals';
import type { MigrationStore } from '@aosc/store';
import type { Logger } from '@aosc/telemetry';

const pollMs = 1000;

/** The current `aosc.backfill.max_concurrent_per_node`, not that of the last look. */
export async function readPermits(store: Pick<MigrationStore, 'readSettings'>, call: Call): Promise<number> {
  const stored = await store.readSettings(call);
  return resolveSettings(stored?.record.persistent, stored?.record.transient).backfill.maxConcurrentPerNode;
}

/** Reads the `aosc.*` settings again each second: a change reaches every process within two. */
export async function watchSettings(store: MigrationStore, logger: Logger, signal: AbortSignal) {
  let settings = resolveSettings();
  const listeners: ((settings: Settings) => void)[] = [];
  const read = async (): Promise<void> => {
    const stored = await store.readSettings({ signal });
    settings = resolveSettings(stored?.record.persistent, stored?.record.transient);
    for (const listener of listeners) listener(settings);
  };
  await read();
  const ticks = startTicks(pollMs, read, (error) =>
    logger.debug('settings could not be read, the last ones stay', { error }),
  );
  return {
    /** The values in force, at most about a second old while OpenSearch answers; the last known ones otherwise. */
    current: (): Settings => settings,
    /** Called with the settings whenever they may have changed. */
    onRead: (listener: (settings: Settings) => void): void => void listeners.push(listener),
    stop: () => ticks.stop(),
  };
}
