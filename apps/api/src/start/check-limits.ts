import { AoscError } from '@aosc/contract';
import { maxBuckets, isTerminalPhase } from '@aosc/domain';
import type { Call } from '@aosc/engine';
import type { Caller } from './caller';
import { preconditionFailed } from './check-indices';
import type { StartContext } from './checks';
import type { StartRequest } from './start-request';
import type { ApiDependencies } from '../dependencies';
import { type Yardstick, findForbiddenEdit } from '../target/limited-edits';

/** While the copy runs, a shard may come to this many times its sequence numbers. */
const growth = 2;

/**
 * The copy counts documents by their sequence numbers, as finely as `search.max_buckets` allows by default, and never
 * more finely than there are numbers.
 * @throws AoscError precondition_failed
 */
export async function checkBuckets(
  { cluster, readBucketLimit }: Pick<ApiDependencies, 'cluster' | 'readBucketLimit'>,
  { source, call }: Pick<StartContext, 'source' | 'call'>,
): Promise<void> {
  const limit = await readBucketLimit(call);
  if (limit >= maxBuckets) return;
  const checkpoints = await cluster.index(source.index).state.readCheckpoints(call);
  const numbers = Math.max(0, ...checkpoints.map(({ maxSeqNo }) => maxSeqNo + 1));
  if (limit >= numbers * growth) return;
  throw preconditionFailed(
    `the cluster setting [search.max_buckets] is [${limit}], and the copy counts the ${numbers} operations of a source ` +
      `shard; set it to at least [${Math.min(maxBuckets, numbers * growth)}]`,
  );
}

/**
 * A migration holds its indices, its records and points in time until it ends. A record does not say which caller
 * started it, so this counts all running migrations of the indices that a credential is limited to.
 * @throws AoscError rate_limited
 */
export async function checkMigrationShare(
  { store, limitedMigrations }: Pick<ApiDependencies, 'store' | 'limitedMigrations'>,
  caller: Pick<Caller, 'id' | 'isLimited' | 'mayUseIndex'>,
  call: Call,
): Promise<void> {
  if (!caller.isLimited) return;
  const running = (await store.listActive(call)).filter(
    ({ record }) => !isTerminalPhase(record.phase) && caller.mayUseIndex(record.sourceIndex),
  );
  if (running.length < limitedMigrations) return;
  throw new AoscError(
    'rate_limited',
    `[${caller.id}] may have ${limitedMigrations} migrations of its indices run at once, and as many do; wait until one ` +
      'has ended, cancel one, or ask an administrator to start it or to raise [AOSC_API_LIMITED_MIGRATIONS]',
  );
}

const secondsADay = 86_400;
const maxReadyDays = 7;

/**
 * What a credential that is limited to some indices may ask of a start. The cluster's defaults are an administrator's
 * word, and hold for all callers.
 * @throws AoscError forbidden
 */
export function checkLimitedOptions(
  { options }: Pick<StartRequest, 'options'>,
  yardstick: Yardstick,
  caller: Pick<Caller, 'id' | 'isLimited' | 'mayTransform'>,
): void {
  if (!caller.isLimited) return;
  const seconds = options?.target_ready_timeout_seconds ?? 0;
  if (seconds > maxReadyDays * secondsADay) {
    throw new AoscError(
      'forbidden',
      `[${caller.id}] may not give a target_ready_timeout_seconds of [${seconds}]: at most ` +
        `[${maxReadyDays * secondsADay}] (${maxReadyDays} days), because this credential is limited to some indices. ` +
        'For more ask an administrator to start the migration or to raise [aosc.target.ready_timeout]',
    );
  }
  const settings = options?.transient_target_settings ?? {};
  const reason = findForbiddenEdit({ settings }, yardstick, caller);
  if (reason !== undefined) {
    throw new AoscError('forbidden', `[${caller.id}] ${reason} (options.transient_target_settings)`);
  }
}
