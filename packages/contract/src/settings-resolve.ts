import { parseSetting, type SettingValueOf } from './settings-parse';
import { type SettingKey, settingsTable } from './settings-table';

export type ControllerType = SettingValueOf<'aosc.backfill.controller.type'>;

/** How one bulk writer sizes its requests, and when it gives way. */
export type ControllerSettings = ReturnType<typeof readController>;

/** The values in force: transient over persistent over default. Times in milliseconds, sizes in bytes. */
export type Settings = ReturnType<typeof resolveSettings>;

/** Settings as they were set, by full name. Unknown names are ignored. */
export type SettingTexts = Readonly<Record<string, string>>;

type Read = <K extends SettingKey>(key: K) => SettingValueOf<K>;

/** @throws AoscError illegal_argument when a value that is in force can't be parsed */
export function resolveSettings(persistent: SettingTexts = {}, transient: SettingTexts = {}) {
  const read: Read = (key) =>
    parseSetting(key, transient[key] ?? persistent[key] ?? settingsTable[key].default);
  return {
    defaults: {
      convergenceThreshold: read('aosc.defaults.convergence_threshold'),
      maxConvergenceRounds: read('aosc.defaults.max_convergence_rounds'),
      transientTargetSettings: read('aosc.defaults.transient_target_settings'),
      removeSourceWriteBlockOnSuccess: read('aosc.defaults.remove_source_write_block_on_success'),
    },
    cutover: {
      holdWriters: read('aosc.cutover.hold_writers'),
      maxHoldMs: read('aosc.cutover.max_hold'),
      maxPauseMs: read('aosc.cutover.max_pause'),
    },
    liveness: {
      checkIntervalMs: read('aosc.liveness.check_interval'),
      timeoutMs: read('aosc.liveness.timeout'),
    },
    target: { readyTimeoutMs: read('aosc.target.ready_timeout') },
    overload: { maxConsecutiveFailures: read('aosc.overload.max_consecutive_failures') },
    backfill: {
      maxConcurrentPerNode: read('aosc.backfill.max_concurrent_per_node'),
      read: { pageSize: read('aosc.backfill.read.page_size') },
      controllerType: read('aosc.backfill.controller.type'),
      controller: readController(read, 'backfill', {
        initial: read('aosc.backfill.controller.concurrency'),
        max: read('aosc.backfill.controller.concurrency.max'),
        probeInterval: read('aosc.backfill.controller.concurrency.probe_interval'),
        gradientThreshold: read('aosc.backfill.controller.concurrency.gradient_threshold'),
      }),
    },
    replay: {
      controllerType: read('aosc.replay.controller.type'),
      // Replay applies deletes before upserts: its bulks go one after the other, whatever the controller.
      controller: readController(read, 'replay', {
        initial: 1,
        max: 1,
        probeInterval: 1,
        gradientThreshold: 1,
      }),
    },
  };
}

interface Concurrency {
  /** what fixed and adaptive_batch use, and where adaptive begins */
  readonly initial: number;
  readonly max: number;
  readonly probeInterval: number;
  readonly gradientThreshold: number;
}

function readController(read: Read, writer: 'backfill' | 'replay', concurrency: Concurrency) {
  return {
    batch: {
      size: read(`aosc.${writer}.controller.batch.size`),
      maxBytes: read(`aosc.${writer}.controller.batch.max_bytes`),
      minBytes: read(`aosc.${writer}.controller.batch.min_bytes`),
      maxDocs: read(`aosc.${writer}.controller.batch.max_docs`),
      startBytesPerDoc: read(`aosc.${writer}.controller.batch.start_bytes_per_doc`),
    },
    aimd: {
      increaseThreshold: read(`aosc.${writer}.controller.aimd.increase_threshold`),
      increaseRatio: read(`aosc.${writer}.controller.aimd.increase_ratio`),
      minStepBytes: read(`aosc.${writer}.controller.aimd.min_step_bytes`),
      cooldownTicks: read(`aosc.${writer}.controller.aimd.cooldown_ticks`),
      trialRevertThreshold: read(`aosc.${writer}.controller.aimd.trial_revert_threshold`),
    },
    concurrency,
    overload: {
      basePauseMs: read(`aosc.${writer}.controller.overload.base_pause`),
      maxPauseMs: read(`aosc.${writer}.controller.overload.max_pause`),
      maxConsecutiveFailures: read('aosc.overload.max_consecutive_failures'),
    },
  };
}
