import { type EventsOptions, type FleetEvent, followEvents } from './events.ts';
import type { Schemas } from './generated/types.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { type Answer, createTransport, type Transport } from './transport.ts';
import { type ById, callsById, pathById } from './by-id.ts';
import type { AnswerName } from './answers.ts';
import type {
  CleanupOptions,
  ClearOptions,
  CreateTargetOptions,
  ListOptions,
  SettingsOptions,
} from './request-options.ts';
import { waitForPhase, type WaitOptions, type Wanted, watchStatus, type WatchOptions } from './watch.ts';

/** The API of AOSC. Every method throws ApiError, ConnectionError, AnswerError, or the reason of its signal. */
export interface AoscClient extends ById {
  /** Starts a migration of `index`. It is sent once: after a lost answer, ask for the status. */
  start(
    index: string,
    request: Schemas['StartRequest'],
    options?: CallOptions,
  ): Promise<Schemas['StartAnswer']>;
  /** Everything that a start checks: throws ApiError with all refusals in `rootCause`, and changes nothing. */
  checkStart(
    index: string,
    request: Schemas['StartRequest'],
    options?: CallOptions,
  ): Promise<Schemas['StartCheck']>;
  /** All that a start would meet, with the id of the plan for `plan` of the start. Both indices stay as they are. */
  plan(index: string, request: Schemas['PlanRequest'], options?: CallOptions): Promise<Schemas['Plan']>;
  /** Makes an index to migrate into from the settings and the mapping of `index`. Without `dryRun` it is sent once. */
  createTarget(
    index: string,
    request: Schemas['CreateTargetRequest'],
    options?: CreateTargetOptions,
  ): Promise<Schemas['TargetCreation']>;
  /** The running or the newest migration of a source. */
  status(index: string, options?: CallOptions): Promise<Schemas['MigrationStatus']>;
  /** Asks for the end; wait for it with {@link waitFor}. It is sent once. */
  cancel(index: string, options?: CallOptions): Promise<Schemas['CancelAnswer']>;
  /** Approves the cutover of a migration, forces it, or postpones it. It is sent once. */
  cutover(
    index: string,
    request?: Schemas['CutoverRequest'],
    options?: CallOptions,
  ): Promise<Schemas['CutoverAnswer']>;
  /** Begins to compare source and target of a migration; {@link verification} shows what it finds. It is sent once. */
  verify(
    index: string,
    request?: { readonly repair?: boolean },
    options?: CallOptions,
  ): Promise<Schemas['Verification']>;
  /** The newest verification of the running or the newest migration of a source. */
  verification(index: string, options?: CallOptions): Promise<Schemas['Verification']>;
  /** The documents that the target of the running or the newest migration of a source refuses. */
  setAside(index: string, options?: CallOptions): Promise<Schemas['SetAside']>;
  /** Has them written again, after the mapping of the target was changed. */
  retrySetAside(index: string, options?: CallOptions): Promise<Schemas['RetryAnswer']>;
  /** How the running or the newest migration of a source went, over time. */
  timeline(index: string, options?: CallOptions): Promise<Schemas['Timeline']>;
  /** Who works on one shard of it, where, and what holds it back. */
  shard(index: string, shard: number, options?: CallOptions): Promise<Schemas['ShardDetail']>;
  /** Tries a transform on some documents of a source. Nothing is written. */
  previewTransform(
    index: string,
    request: Schemas['PreviewRequest'],
    options?: CallOptions,
  ): Promise<Schemas['TransformPreview']>;
  /** Migrations, newest first. */
  list(options?: ListOptions): Promise<Schemas['ListAnswer']>;
  /** The `aosc.*` settings by their full names. */
  settings(options?: SettingsOptions): Promise<Schemas['Settings']>;
  /** Changes `aosc.*` settings; null gives one its default back. It is sent once. */
  putSettings(
    request: Schemas['SettingsRequest'],
    options?: CallOptions,
  ): Promise<Schemas['SettingsChanged']>;
  cleanupLeases(options?: CleanupOptions): Promise<Schemas['LeaseCleanup']>;
  clearState(options?: ClearOptions): Promise<Schemas['StateClearing']>;
  /** Whether the API can work, and if not why: that is an answer, too. */
  readiness(options?: CallOptions): Promise<Schemas['Readiness']>;
  /** Every migration as it changes, until the signal fires. */
  events(options?: EventsOptions): AsyncGenerator<FleetEvent, never, undefined>;
  /** Each status that differs from the one before, until the migration has ended. */
  watch(index: string, options?: WatchOptions): AsyncGenerator<Schemas['MigrationStatus'], void, undefined>;
  /** Waits until the migration is, or was, in a phase, or has ended (`terminal`). */
  waitFor(index: string, wanted: Wanted, options?: WaitOptions): Promise<Schemas['MigrationStatus']>;
  /** The same for any migration, by its id. */
  waitForMigration(id: string, wanted: Wanted, options?: WaitOptions): Promise<Schemas['MigrationStatus']>;
}

const admin = '/_plugins/_aosc/_admin';

/** @throws TypeError for options that make no sense, or that would send credentials in the clear */
export function createAoscClient(options: ClientOptions): AoscClient {
  const transport = createTransport(options);
  const readerOf = (path: string) => (etag: string | undefined, signal: AbortSignal | undefined) =>
    transport.send({ ...read, path, answer: 'MigrationStatus', ifNoneMatch: etag, signal });
  return {
    ...migrationCalls(transport),
    ...detailCalls(transport),
    ...callsById(transport),
    ...administrationCalls(transport),
    readiness: async ({ signal } = {}) =>
      bodyOf(
        await transport.send({ ...read, path: '/readyz', answer: 'Readiness', alsoAnswers: [503], signal }),
      ),
    events: (following) => followEvents(transport, following),
    watch: (index, watching) => watchStatus(readerOf(statusPathOf(index)), watching),
    waitFor: (index, wanted, waiting) => waitForPhase(readerOf(statusPathOf(index)), wanted, waiting),
    waitForMigration: (id, wanted, waiting) => waitForPhase(readerOf(pathById(id)), wanted, waiting),
  };
}

const read = { method: 'GET', changesNothing: true } as const;

/** Sends what is no read. @returns the body of the answer */
const poster =
  ({ send }: Transport) =>
  async <N extends AnswerName>(
    path: string,
    answer: N,
    what: Partial<
      Pick<Parameters<Transport['send']>[0], 'query' | 'body' | 'changesNothing' | 'isLong' | 'signal'>
    >,
  ) =>
    bodyOf(await send({ method: 'POST', changesNothing: false, ...what, path, answer }));

function migrationCalls(
  transport: Transport,
): Pick<
  AoscClient,
  'start' | 'checkStart' | 'plan' | 'createTarget' | 'status' | 'cancel' | 'cutover' | 'list'
> {
  const { send } = transport;
  const post = poster(transport);
  return {
    start: async (index, body, { signal } = {}) =>
      post(`${pathOf(index)}/_start`, 'StartAnswer', { body, isLong: true, signal }),
    checkStart: async (index, body, { signal } = {}) => {
      const query = { dry_run: true };
      return post(`${pathOf(index)}/_start`, 'StartCheck', {
        query,
        body,
        changesNothing: true,
        isLong: true,
        signal,
      });
    },
    plan: async (index, body, { signal } = {}) =>
      post(`${pathOf(index)}/_plan`, 'Plan', { body, changesNothing: true, isLong: true, signal }),
    createTarget: async (index, body, { dryRun = true, signal } = {}) => {
      const query = { dry_run: dryRun };
      const path = `${pathOf(index)}/_create_target`;
      return post(path, 'TargetCreation', { query, body, changesNothing: dryRun, isLong: true, signal });
    },
    status: async (index, { signal } = {}) =>
      bodyOf(await send({ ...read, path: statusPathOf(index), answer: 'MigrationStatus', signal })),
    cancel: async (index, { signal } = {}) => post(`${pathOf(index)}/_cancel`, 'CancelAnswer', { signal }),
    cutover: async (index, body = {}, { signal } = {}) =>
      post(`${pathOf(index)}/_cutover`, 'CutoverAnswer', { body, signal }),
    list: async ({ status, size, signal } = {}) => {
      const query = { status: status?.join(), size };
      return bodyOf(
        await send({ ...read, path: '/_plugins/_aosc/_list', query, answer: 'ListAnswer', signal }),
      );
    },
  };
}

function detailCalls(
  transport: Transport,
): Pick<
  AoscClient,
  'timeline' | 'verify' | 'verification' | 'setAside' | 'retrySetAside' | 'shard' | 'previewTransform'
> {
  const { send } = transport;
  return {
    setAside: async (index, { signal } = {}) =>
      bodyOf(await send({ ...read, path: `${pathOf(index)}/_set_aside`, answer: 'SetAside', signal })),
    retrySetAside: async (index, { signal } = {}) =>
      poster(transport)(`${pathOf(index)}/_set_aside/_retry`, 'RetryAnswer', { signal }),
    timeline: async (index, { signal } = {}) =>
      bodyOf(await send({ ...read, path: `${pathOf(index)}/_timeline`, answer: 'Timeline', signal })),
    verify: async (index, body = {}, { signal } = {}) =>
      bodyOf(
        await send({
          method: 'POST',
          path: `${pathOf(index)}/_verify`,
          body,
          changesNothing: false,
          answer: 'Verification',
          signal,
        }),
      ),
    verification: async (index, { signal } = {}) =>
      bodyOf(await send({ ...read, path: `${pathOf(index)}/_verify`, answer: 'Verification', signal })),
    shard: async (index, shard, { signal } = {}) =>
      bodyOf(
        await send({ ...read, path: `${pathOf(index)}/_shards/${shard}`, answer: 'ShardDetail', signal }),
      ),
    previewTransform: async (index, body, { signal } = {}) => {
      const path = `${pathOf(index)}/_preview_transform`;
      return poster(transport)(path, 'TransformPreview', {
        body,
        changesNothing: true,
        isLong: true,
        signal,
      });
    },
  };
}

function administrationCalls(
  transport: Transport,
): Pick<AoscClient, 'settings' | 'putSettings' | 'cleanupLeases' | 'clearState'> {
  const { send } = transport;
  const post = poster(transport);
  const settings = { path: '/_cluster/settings' } as const;
  return {
    settings: async ({ includeDefaults, signal } = {}) => {
      const query = { flat_settings: true, include_defaults: includeDefaults };
      return bodyOf(await send({ ...read, ...settings, query, answer: 'Settings', signal }));
    },
    putSettings: async (body, { signal } = {}) => {
      const query = { flat_settings: true };
      const what = { method: 'PUT', ...settings, query, body, changesNothing: false } as const;
      return bodyOf(await send({ ...what, answer: 'SettingsChanged', signal }));
    },
    cleanupLeases: async ({ dryRun = true, index, includeActive, signal } = {}) => {
      const query = { dry_run: dryRun, index, include_active: includeActive };
      return post(`${admin}/_cleanup_leases`, 'LeaseCleanup', {
        query,
        changesNothing: dryRun,
        isLong: true,
        signal,
      });
    },
    clearState: async ({ dryRun = true, migrationId, tryClose, undo, detailed, signal } = {}) => {
      const query = { dry_run: dryRun, migration_id: migrationId, try_close: tryClose, undo, detailed };
      return post(`${admin}/_clear_state`, 'StateClearing', {
        query,
        changesNothing: dryRun,
        isLong: true,
        signal,
      });
    },
  };
}

/** A URL resolves names that are only dots, and the request would go to another path. */
function pathOf(index: string): string {
  if (index === '' || index === '.' || index === '..')
    throw new TypeError(`[${index}] is no name of an index`);
  return `/_plugins/_aosc/${encodeURIComponent(index)}`;
}

const statusPathOf = (index: string): string => `${pathOf(index)}/_status`;

function bodyOf<N extends AnswerName>({ body }: Answer<N>): Schemas[N] {
  if (body === undefined) throw new Error('304 without an ETag to match');
  return body;
}
