import type { Call } from './call';

export type SettingValue = string | number | boolean | null;

/** draining: the index takes no new write, and writes that began before the block may still run */
export type WriteBlockState = 'none' | 'draining' | 'set';

/** Settings of one index, its write block among them. */
export interface SettingsPort {
  /**
   * @param through an alias that only this index has, and that is deleted with it. It names the index for certain: by
   *   the time the call arrives, another index may have the index's name
   */
  put(settings: Readonly<Record<string, SettingValue>>, call: Call, through?: string): Promise<void>;
  /**
   * `PUT {index}/_block/write`.
   * @param through as for `put`
   * @returns whether the answer itself proves that running writes are drained
   * @throws ClusterError 'not_found' when there is no such name
   */
  blockWrites(call: Call, through?: string): Promise<{ readonly confirmed: boolean }>;
  /** The block itself: it may outlive the setting `index.blocks.write`. */
  readWriteBlock(call: Call): Promise<WriteBlockState>;
}
