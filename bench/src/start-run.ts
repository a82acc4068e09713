import { startMigration } from '@aosc/testkit';
import { alias, fillingSettings, source, target } from './cluster';

export const runOptions = {
  remove_source_write_block_on_success: true,
  accept_data_loss_if_custom_routing_is_used: true,
} as const;

/**
 * Starts a migration that is measured to its end: the source takes writes again, for the next one.
 * @param request what differs
 */
export function startRun(
  apiUrl: string,
  request: Partial<Parameters<typeof startMigration>[1]> = {},
): ReturnType<typeof startMigration> {
  return startMigration(apiUrl, {
    source,
    target,
    alias,
    options: runOptions,
    ...request,
  });
}

/** What differs where the target, which must not exist, is made of the files of the source. */
export const byFilesRequest = (targetShards: number) =>
  ({
    options: { ...runOptions, copy: 'files' },
    createTarget: { number_of_shards: targetShards, settings: fillingSettings },
  }) as const;
