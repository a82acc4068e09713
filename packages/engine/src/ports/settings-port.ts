import type { Call } from './call';

export type SettingValue = string | number | boolean | null;

/** draining: no new write is taken, and those of before may still run */
export type WriteBlockState = 'none' | 'draining' | 'set';

/** Settings of one index, its write block among them. */
export interface SettingsPort {
  put(settings: Readonly<Record<string, SettingValue>>, call: Call): Promise<void>;
  /** `PUT {index}/_block/write`. @returns whether the answer itself proves that running writes are drained */
  blockWrites(call: Call): Promise<{ readonly confirmed: boolean }>;
  /** The block itself, whatever the setting says. */
  readWriteBlock(call: Call): Promise<WriteBlockState>;
}
