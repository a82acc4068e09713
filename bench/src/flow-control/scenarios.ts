import { type ControllerType, resolveSettings, type SettingTexts } from '@aosc/contract';
import type { WriterSettings } from '@aosc/domain';
import { highThroughput } from '../profiles';
import { type Bounds, type Conditions, optimum, usualCluster } from './cluster-model';
import { type Bulk, simulate } from './simulate';

const MB = 2 ** 20;

export const controllerTypes: readonly ControllerType[] = ['fixed', 'adaptive_batch', 'adaptive'];

/** Something that happens to the cluster, to be marked in a plot. */
export interface Disturbance {
  readonly fromMs: number;
  readonly toMs: number;
  readonly label: string;
}

export interface Scenario {
  /** of the file, too */
  readonly name: string;
  readonly title: string;
  readonly durationMs: number;
  readonly conditions: (ms: number) => Conditions;
  readonly disturbances: readonly Disturbance[];
  readonly shards?: number;
  /** beside the high-throughput profile; of the backfill's controller, without their prefix */
  readonly settings?: SettingTexts;
}

const during = ({ fromMs, toMs }: Disturbance, ms: number): boolean => ms >= fromMs && ms < toMs;

/** The usual cluster, but for what is said. */
const always = (changes: Partial<Conditions>) => (): Conditions => ({ ...usualCluster, ...changes });

/** ... and during a disturbance otherwise. */
const disturbed =
  (disturbances: readonly Disturbance[], changes: Partial<Conditions>, usual: Partial<Conditions> = {}) =>
  (ms: number): Conditions => ({
    ...usualCluster,
    ...usual,
    ...(disturbances.some((disturbance) => during(disturbance, ms)) ? changes : {}),
  });

const second = 1000;
const slow: Disturbance = { fromMs: 60 * second, toMs: 120 * second, label: 'a quarter of the speed' };
const bursts: readonly Disturbance[] = [
  { fromMs: 30 * second, toMs: 40 * second, label: '429' },
  { fromMs: 110 * second, toMs: 112 * second, label: '429' },
];
const growing: Disturbance = { fromMs: 20 * second, toMs: 140 * second, label: 'documents grow' };
/** No limit of the settings stops bulks from growing. */
const unbounded = { 'batch.max_docs': '50000', 'batch.size': '50000' };

export const scenarios: readonly Scenario[] = [
  {
    name: 'steady',
    title: 'Nothing disturbs',
    durationMs: 60 * second,
    conditions: always({}),
    disturbances: [],
  },
  {
    name: 'capacity-step',
    title: 'The cluster falls to a quarter of its speed, and recovers',
    durationMs: 180 * second,
    conditions: disturbed([slow], { bytesPerSecond: usualCluster.bytesPerSecond / 4 }),
    disturbances: [slow],
  },
  {
    name: 'latency-knee',
    title: 'Bulks may become larger than is good',
    durationMs: 240 * second,
    conditions: always({ kneeBytes: 16 * MB, bytesPerDoc: 4096 }),
    disturbances: [],
    settings: unbounded,
  },
  {
    name: 'bursts',
    title: 'The cluster refuses everything for 10 s, later for 2 s',
    durationMs: 180 * second,
    conditions: disturbed(bursts, { limitBytes: 0 }),
    disturbances: bursts,
  },
  {
    name: 'document-drift',
    title: 'Documents grow from 0.5 KB to 200 KB',
    durationMs: 180 * second,
    conditions: (ms) => ({ ...usualCluster, bytesPerDoc: drift(ms, 512, 200 * 1024) }),
    disturbances: [growing],
    settings: { ...unbounded, 'batch.max_bytes': '8mb' },
  },
  {
    name: 'noise',
    title: 'The time of a bulk strays by up to 60 %',
    durationMs: 120 * second,
    conditions: always({ noise: 0.4 }),
    disturbances: [],
  },
  {
    name: 'shared',
    title: 'Six shards share a cluster that refuses more than 40 MB in flight',
    durationMs: 180 * second,
    conditions: always({ limitBytes: 40 * MB, noise: 0.2 }),
    disturbances: [],
    shards: 6,
  },
  {
    name: 'slow-source',
    title: 'The source gives 5 MB/s',
    durationMs: 120 * second,
    conditions: always({ readBytesPerSecond: 5 * MB }),
    disturbances: [],
  },
];

/** From one size to another: doubling again and again, in between evenly. Without powers, which differ between machines. */
function drift(ms: number, from: number, to: number): number {
  const doublings = 9;
  const progress = Math.min(1, Math.max(0, (ms - growing.fromMs) / (growing.toMs - growing.fromMs)));
  const position = progress * doublings;
  const whole = Math.floor(position);
  let size = from;
  for (let i = 0; i < whole; i++) size *= 2;
  return Math.min(to, Math.round(size * (1 + position - whole)));
}

/** The high-throughput profile with this controller, and what the scenario changes. */
function settingsOf(scenario: Scenario, type: ControllerType): WriterSettings {
  const texts: Record<string, string> = Object.fromEntries(
    Object.entries(highThroughput).map(([key, value]) => [key, String(value)]),
  );
  texts['aosc.backfill.controller.type'] = type;
  for (const [end, text] of Object.entries(scenario.settings ?? {})) {
    texts[`aosc.backfill.controller.${end}`] = text;
  }
  return resolveSettings(texts).backfill;
}

export interface Outcome {
  readonly scenario: Scenario;
  readonly type: ControllerType;
  readonly settings: WriterSettings;
  readonly bulks: readonly Bulk[];
}

/** Bulks that are under way at a scenario's end are waited for: their first bytes belong to it. */
const waitMs = 40 * second;

export function runScenario(scenario: Scenario, type: ControllerType): Outcome {
  const settings = settingsOf(scenario, type);
  const { conditions, durationMs, shards } = scenario;
  const bulks = simulate({
    settings: () => settings,
    conditions,
    durationMs: durationMs + waitMs,
    ...(shards && { shards }),
  });
  return { scenario, type, settings, bulks };
}

const known = new Map<string, number>();

/** Bytes per second that the best sizes would bring at a moment, within what the settings allow this controller. */
export function optimumOf({ scenario, type, settings }: Omit<Outcome, 'bulks'>, ms: number): number {
  const conditions = scenario.conditions(ms);
  const bounds = boundsOf(scenario, type, settings);
  // Searched for size by size; most moments of a scenario are alike.
  const key = JSON.stringify([conditions, bounds]);
  const best = known.get(key) ?? optimum(conditions, bounds);
  known.set(key, best);
  return best;
}

export function boundsOf(scenario: Scenario, type: ControllerType, { controller }: WriterSettings): Bounds {
  const { batch, concurrency } = controller;
  return {
    maxDocs: type === 'fixed' ? batch.size : batch.maxDocs,
    maxBytes: batch.maxBytes,
    concurrency: type === 'adaptive' ? concurrency.max : concurrency.initial,
    shards: scenario.shards ?? 1,
  };
}
