import type { SettingsChangedAnswer } from '@aosc/contract';
import { type Call, compareAndSet } from '@aosc/engine';
import { RedisSilentError } from '@aosc/queue';
import type { ApiDependencies } from '../dependencies';
import type { Handlers } from '../http/mount';
import {
  applySettingsChange,
  namesOf,
  noSettings,
  readSettingsChange,
  renderScopes,
  renderSettings,
  type SettingsChange,
  type SettingsOutcome,
} from '../settings/change-settings';
import { wake } from '../wake';

/** `/_cluster/settings` for `aosc.*`: OpenSearch itself refuses settings that no plugin has registered. */
export function handleSettings(deps: ApiDependencies): Handlers {
  return {
    async aosc_get_settings({ query }) {
      const asked = { flat: query.flag('flat_settings'), includeDefaults: query.flag('include_defaults') };
      const stored = await deps.store.readSettings(deps.newCall());
      return renderSettings(stored?.record ?? noSettings, asked);
    },

    async aosc_put_settings({ query, body, note }) {
      const flat = query.flag('flat_settings');
      const change = readSettingsChange(body);
      note(namesOf(change));
      const call = deps.newCall();
      const { applied, reset } = await changeSettings(deps, change, call);
      deps.logger.info('settings changed', { event: 'settings_changed', ...applied, reset });
      if (await applyPermits(deps)) await wakeRunning(deps, call);
      note({ applied, reset });
      return { acknowledged: true, ...renderScopes(applied, flat) } satisfies SettingsChangedAnswer;
    },
  };
}

function changeSettings(
  { store }: ApiDependencies,
  change: SettingsChange,
  call: Call,
): Promise<Omit<SettingsOutcome, 'after'>> {
  return compareAndSet(async () => {
    const stored = await store.readSettings(call);
    const { after, ...outcome } = applySettingsChange(stored?.record ?? noSettings, change);
    return { write: () => store.replaceSettings(stored, after, call).then(() => outcome) };
  });
}

/**
 * Makes a change of the permits effective at once; schedulers would otherwise write it at their next look.
 * @returns false: Redis gives no answer, and would cost its time-out again
 */
async function applyPermits({ queueClient, logger }: ApiDependencies): Promise<boolean> {
  try {
    await queueClient.applyPermits();
    return true;
  } catch (error) {
    logger.warn('the permits could not be written; the schedulers do it', { event: 'wake_failed', error });
    return !(error instanceof RedisSilentError);
  }
}

/** Running migrations must see the changed settings. */
async function wakeRunning(deps: ApiDependencies, call: Call): Promise<void> {
  const running = await deps.store.listActive(call).catch((error: unknown) => {
    deps.logger.warn('running migrations could not be listed', { event: 'wake_failed', error });
    return [];
  });
  for (const { record } of running) {
    if (!(await wake(deps, record))) return;
  }
}
