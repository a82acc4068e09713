import type { SettingsChangedAnswer } from '@aosc/contract';
import { type Call, compareAndSet } from '@aosc/engine';
import { Router } from 'express';
import { audited } from '../auth/audited-route';
import type { ApiDependencies } from '../dependencies';
import { bodyOf } from '../http/body';
import { readFlag, readQuery } from '../http/query';
import {
  applySettingsChange,
  namesOf,
  noSettings,
  readSettingsChange,
  type SettingsChange,
  type SettingsOutcome,
} from '../settings/change-settings';
import { renderScopes, renderSettings } from '../settings/render-settings';
import { wake } from '../wake';

/** `/_cluster/settings` for `aosc.*`: OpenSearch itself refuses settings that no plugin has registered. */
export function createClusterSettingsRoutes(deps: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });

  router.get('/', async (request, response) => {
    const query = readQuery(request, ['include_defaults', 'flat_settings']);
    const stored = await deps.store.readSettings(deps.newCall());
    response.json(
      renderSettings(stored?.record ?? noSettings, {
        flat: readFlag('flat_settings', query.flat_settings),
        includeDefaults: readFlag('include_defaults', query.include_defaults),
      }),
    );
  });

  router.put(
    '/',
    audited('change_settings', {
      read: (request) => {
        const query = readQuery(request, ['flat_settings']);
        const flat = readFlag('flat_settings', query.flat_settings);
        return { flat, change: readSettingsChange(bodyOf(request)) };
      },
      asked: ({ change }) => namesOf(change),
      run: async ({ flat, change }) => {
        const call = deps.newCall();
        const { applied, reset } = await changeSettings(deps, change, call);
        deps.logger.info('settings changed', { event: 'settings_changed', ...applied, reset });
        await applyPermits(deps);
        await wakeRunning(deps, call);
        const answer: SettingsChangedAnswer = { acknowledged: true, ...renderScopes(applied, flat) };
        return { answer, done: { applied, reset } };
      },
    }),
  );

  return router;
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

/** Makes a change of the permits effective at once; schedulers would otherwise write it at their next look. */
async function applyPermits({ queueClient, logger }: ApiDependencies): Promise<void> {
  try {
    await queueClient.applyPermits();
  } catch (error) {
    logger.warn('the permits could not be written; the schedulers do it', { event: 'wake_failed', error });
  }
}

/** Running migrations must see the changed settings. */
async function wakeRunning(deps: ApiDependencies, call: Call): Promise<void> {
  const running = await deps.store.listActive(call).catch((error: unknown) => {
    deps.logger.warn('running migrations could not be listed', { event: 'wake_failed', error });
    return [];
  });
  for (const { record } of running) await wake(deps, record);
}
