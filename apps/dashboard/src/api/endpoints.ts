import type {
  CancelAnswer,
  CreateTargetAnswer,
  CreateTargetRequest,
  ListAnswer,
  PreviewAnswer,
  SettingsAnswer,
  SettingsChangedAnswer,
  ShardDetail,
  StartAnswer,
  StartRequestWire,
  StatusDocument,
  TimelineAnswer,
} from '@aosc/contract';
import { ask } from './request';

/** Of which a script is tried out. */
export type PreviewRequest = Pick<StartRequestWire, 'transform_script' | 'target_index'>;

const plugin = '/_plugins/_aosc';
const post = (path: string) => ({ method: 'post', path }) as const;
const get = (path: string) => ({ method: 'get', path }) as const;

export const places = {
  start: post(`${plugin}/{index}/_start`),
  createTarget: post(`${plugin}/{index}/_create_target`),
  status: get(`${plugin}/{index}/_status`),
  settings: get('/_cluster/settings'),
  changeSettings: { method: 'put', path: '/_cluster/settings' } as const,
} as const;

export const readStatus = (index: string, signal?: AbortSignal): Promise<StatusDocument> =>
  ask({ place: places.status, index, signal });

/** The newest 500. */
export const listMigrations = (signal?: AbortSignal): Promise<ListAnswer> =>
  ask({ place: get(`${plugin}/_list`), query: { size: '500' }, signal });

export const readTimeline = (index: string, signal?: AbortSignal): Promise<TimelineAnswer> =>
  ask({ place: get(`${plugin}/{index}/_timeline`), index, signal });

export const readShard = (index: string, shard: string, signal?: AbortSignal): Promise<ShardDetail> =>
  ask({ place: get(`${plugin}/{index}/_shards/{shard}`), index, shard, signal });

export const cancelMigration = (index: string): Promise<CancelAnswer> =>
  ask({ place: post(`${plugin}/{index}/_cancel`), index });

export const startMigration = (index: string, body: StartRequestWire): Promise<StartAnswer> =>
  ask({ place: places.start, index, body });

export const createTarget = (
  index: string,
  body: CreateTargetRequest,
  dryRun: boolean,
): Promise<CreateTargetAnswer> =>
  ask({ place: places.createTarget, index, body, query: { dry_run: String(dryRun) } });

export const previewTransform = (index: string, body: PreviewRequest): Promise<PreviewAnswer> =>
  ask({ place: post(`${plugin}/{index}/_preview_transform`), index, body });

export const readSettings = (signal?: AbortSignal): Promise<SettingsAnswer> =>
  ask({ place: places.settings, query: { flat_settings: 'true', include_defaults: 'true' }, signal });

/** @param persistent by full name; null takes one back to its default */
export const changeSettings = (
  persistent: Readonly<Record<string, string | null>>,
): Promise<SettingsChangedAnswer> =>
  ask({ place: places.changeSettings, query: { flat_settings: 'true' }, body: { persistent } });

/** What the administration answers is shown as it is. */
export const cleanupLeases = (query: Readonly<Record<string, string>>): Promise<unknown> =>
  ask({ place: post(`${plugin}/_admin/_cleanup_leases`), query });

export const clearState = (query: Readonly<Record<string, string>>): Promise<unknown> =>
  ask({ place: post(`${plugin}/_admin/_clear_state`), query });
