import { AoscError } from '@aosc/contract';
import type { Yardstick } from '../target/limited-edits';
import { findForbiddenEdit } from '../target/limited-edits';
import type { Caller } from './caller';
import type { StartRequest } from './start-request';

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
