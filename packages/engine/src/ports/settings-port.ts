import type { Call } from './call';

export type SettingValue = string | number | boolean | null;

/** draining: no new write is taken, and those of before may still run */
export type WriteBlockState = 'none' | 'draining' | 'set';

/** Settings of one index, its write block among them. */
export interface SettingsPort {
  /**
   * @param through an alias that this very index has, and that dies with it: under the index's own name there may be
   *   another one by the time the call arrives
   */
  put(settings: Readonly<Record<string, SettingValue>>, call: Call, through?: string): Promise<void>;
  /**
   * `PUT {index}/_block/write`.
   * @param through as above
   * @returns whether the answer itself proves that running writes are drained
   * @throws ClusterError 'not_found' when there is no such name
   */
  blockWrites(call: Call, through?: string): Promise<{ readonly confirmed: boolean }>;
  /** The block itself, whatever the setting says. */
  readWriteBlock(call: Call): Promise<WriteBlockState>;
}
