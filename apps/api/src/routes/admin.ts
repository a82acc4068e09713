import {
  AoscError,
  type SettingsChangedAnswer,
  createOpenApiDocument,
  type HealthAnswer,
  type ReadinessAnswer,
} from '@aosc/contract';
import { type Call, compareAndSet } from '@aosc/engine';
import { createRenderer, type Readiness, sumUpNodes } from '@aosc/telemetry';
import { cleanupLeases } from '../admin/cleanup-leases';
import { clearState } from '../admin/clear-state';
import type { ApiDependencies } from '../dependencies';
import type { Handlers } from '../http/mount';
import type { Query } from '../http/query';
import {
  applySettingsChange,
  namesOf,
  noSettings,
  readSettingsChange,
  type SettingsChange,
  type SettingsOutcome,
  renderScopes,
  renderSettings,
} from '../settings/change-settings';
import { wake } from '../change-migration';

/** Ids that an audit line names; the numbers beside them count all. */
const maxNamed = 50;

/** What an operator clears by hand when cancelling does not help. */
export function handleAdministration(deps: ApiDependencies): Handlers {
  return {
    async aosc_cleanup_leases({ query, note }) {
      const index = textOf(query, 'index', '[index] query parameter must not be empty');
      const [dryRun, includeActive] = [query.flag('dry_run'), query.flag('include_active')];
      note({ dryRun, index: index ?? null, includeActive });
      const answer = await cleanupLeases(deps, { index, dryRun, includeActive });
      const { leases, released, failed } = answer;
      const named = dryRun ? leases : leases.filter((lease) => lease.released);
      const ids = named.slice(0, maxNamed).map(({ lease_id: id }) => id);
      note({ found: leases.length, released, failed, leases: ids });
      return answer;
    },

    async aosc_clear_cluster_state({ query, note }) {
      const migrationId = textOf(query, 'migration_id', 'migration_id must not be empty');
      const [dryRun, tryClose] = [query.flag('dry_run'), query.flag('try_close')];
      const [detailed, undo] = [query.flag('detailed'), query.flag('undo')];
      note({ dryRun, tryClose, undo, migration: migrationId ?? null });
      const answer = await clearState(deps, { dryRun, tryClose, migrationId, detailed, undo });
      const rows = Object.entries(answer.migrations);
      const idsOf = (isMeant: (row: (typeof rows)[number][1]) => boolean): readonly string[] =>
        rows.flatMap(([id, row]) => (isMeant(row) ? [id] : [])).slice(0, maxNamed);
      note({
        found: rows.length,
        cleared: idsOf(({ cluster_state: state }) => state === 'cleared'),
        failed: idsOf(({ error }) => error !== undefined),
      });
      return answer;
    },
  };
}

/** @throws AoscError illegal_argument when the parameter is given without a value */
function textOf(query: Query, name: string, reason: string): string | undefined {
  const text = query.text(name);
  if (text?.trim() === '') throw new AoscError('illegal_argument', reason);
  return text;
}

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
      await applyPermits(deps);
      await wakeRunning(deps, call);
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

/** Whether the process runs, whether it can work and if not why, and its figures. */
export function handleHealth({ readiness, metrics, authenticate, nodes }: ApiDependencies): Handlers {
  const render = createRenderer(metrics, readiness, nodes);
  return {
    get_health: () => ({ ok: true, opensearch: sumUpNodes(nodes()) }) satisfies HealthAnswer,
    async get_readiness({ response, principal }) {
      const state: ReadinessAnswer = await readiness();
      response.status(state.ok ? 200 : 503);
      return authenticate === undefined || principal !== undefined ? state : withoutReasons(state);
    },
    async get_metrics({ response }) {
      const text = await render();
      // not `type()`: it would replace the charset and the version of the format
      response.setHeader('content-type', metrics.contentType);
      response.end(text);
      return undefined;
    },
  };
}

/** The API's description of itself. It is the same for all callers and made once. */
export function handleOpenApi(): Handlers {
  const document = createOpenApiDocument();
  return { get_openapi: () => document };
}

/** Reasons name addresses of servers, so a caller without credentials does not get them. */
function withoutReasons({ ok, checks }: Readiness): Readiness {
  return { ok, checks: checks.map(({ name, ok: fine }) => ({ name, ok: fine })) };
}
