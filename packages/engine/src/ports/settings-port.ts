import type { Call } from './call';

export type SettingValue = string | number | boolean | null;

/** draining: the index takes no new write, and writes that began before may still run */
export type WriteBlockState = 'none' | 'draining' | 'set';

/** Settings of one index, its write block among them. */
export interface SettingsPort {
  /**
   * @param through an alias that this very index has, and that dies with it: by the time the call arrives, the index's
   *   name may be another index's
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
