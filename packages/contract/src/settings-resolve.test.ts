import { findSettingsConflicts, resolveOptions, resolveSettings } from '.';

const MB = 2 ** 20;

test('with nothing set, the defaults of the contract are in force', () => {
  const controller = {
    batch: { size: 500, maxBytes: 100 * MB, minBytes: 512 * 1024, maxDocs: 500, startBytesPerDoc: 10 * 1024 },
    aimd: {
      increaseThreshold: 3,
      increaseRatio: 0.2,
      minStepBytes: 256 * 1024,
      cooldownTicks: 2,
      trialRevertThreshold: 0.1,
    },
    overload: { basePauseMs: 2000, maxPauseMs: 120_000, maxConsecutiveFailures: 50 },
  };
  expect(resolveSettings()).toEqual({
    cutover: { holdWriters: true, maxHoldMs: 3000, maxPauseMs: 10_000 },
    defaults: {
      convergenceThreshold: 500,
      maxConvergenceRounds: 1000,
      transientTargetSettings: { 'index.number_of_replicas': '0', 'index.refresh_interval': '-1' },
      removeSourceWriteBlockOnSuccess: false,
    },
    liveness: { checkIntervalMs: 30_000, timeoutMs: 300_000 },
    target: { readyTimeoutMs: 14_400_000 },
    overload: { maxConsecutiveFailures: 50 },
    backfill: {
      maxConcurrentPerNode: 2,
      read: { pageSize: 1000 },
      controllerType: 'adaptive_batch',
      controller: {
        ...controller,
        concurrency: { initial: 1, max: 8, probeInterval: 5, gradientThreshold: 1.5 },
      },
    },
    replay: {
      controllerType: 'adaptive_batch',
      controller: {
        ...controller,
        concurrency: { initial: 1, max: 1, probeInterval: 1, gradientThreshold: 1 },
      },
    },
  });
});

test('transient wins over persistent, persistent over the default', () => {
  const settings = resolveSettings(
    {
      'aosc.backfill.read.page_size': '10',
      'aosc.backfill.controller.batch.size': '20',
      'other.setting': 'x',
    },
    { 'aosc.backfill.read.page_size': '30' },
  );
  expect(settings.backfill.read.pageSize).toBe(30);
  expect(settings.backfill.controller.batch.size).toBe(20);
  expect(settings.replay.controller.batch.size).toBe(500);
});

test('backfill and replay read their own twin of a setting', () => {
  const settings = resolveSettings({
    'aosc.replay.controller.batch.max_docs': '7',
    'aosc.backfill.controller.batch.max_docs': '8',
    'aosc.replay.controller.overload.base_pause': '300ms',
  });
  expect(settings.replay.controller.batch.maxDocs).toBe(7);
  expect(settings.backfill.controller.batch.maxDocs).toBe(8);
  expect(settings.replay.controller.overload.basePauseMs).toBe(300);
  expect(settings.backfill.controller.overload.basePauseMs).toBe(2000);
});

describe('settings that contradict each other', () => {
  const conflicts = (texts: Record<string, string>) => findSettingsConflicts(resolveSettings(texts));

  test('the defaults do not', () => {
    expect(conflicts({})).toEqual([]);
  });

  test.each([
    [
      {
        'aosc.backfill.controller.batch.min_bytes': '2mb',
        'aosc.backfill.controller.batch.max_bytes': '1mb',
      },
      '[aosc.backfill.controller.batch.min_bytes] (2097152b) must be <= [aosc.backfill.controller.batch.max_bytes] (1048576b)',
    ],
    [
      { 'aosc.replay.controller.batch.min_bytes': '2mb', 'aosc.replay.controller.batch.max_bytes': '1mb' },
      '[aosc.replay.controller.batch.min_bytes] (2097152b) must be <= [aosc.replay.controller.batch.max_bytes] (1048576b)',
    ],
    [
      { 'aosc.backfill.controller.concurrency': '9' },
      '[aosc.backfill.controller.concurrency] (9) must be <= [aosc.backfill.controller.concurrency.max] (8)',
    ],
    [
      { 'aosc.backfill.controller.overload.max_pause': '1000' },
      '[aosc.backfill.controller.overload.base_pause] (2000ms) must be <= [aosc.backfill.controller.overload.max_pause] (1000ms)',
    ],
    [
      { 'aosc.replay.controller.overload.base_pause': '3m' },
      '[aosc.replay.controller.overload.base_pause] (180000ms) must be <= [aosc.replay.controller.overload.max_pause] (120000ms)',
    ],
  ])('%j', (texts: Record<string, string>, reason) => {
    expect(conflicts(texts)).toEqual([reason]);
  });

  test('equal limits and all problems at once', () => {
    expect(
      conflicts({
        'aosc.backfill.controller.batch.min_bytes': '1mb',
        'aosc.backfill.controller.batch.max_bytes': '1mb',
      }),
    ).toEqual([]);
    expect(
      conflicts({
        'aosc.backfill.controller.concurrency': '32',
        'aosc.replay.controller.overload.base_pause': '600000',
      }),
    ).toHaveLength(2);
  });
});

describe('options of a start request', () => {
  const settings = resolveSettings({
    'aosc.defaults.convergence_threshold': '9',
    'aosc.target.ready_timeout': '90500ms',
    'aosc.defaults.remove_source_write_block_on_success': 'true',
    'aosc.defaults.transient_target_settings': '{"index.a":"1","index.b":"2"}',
  });

  test('what is left open comes from the cluster settings', () => {
    expect(resolveOptions(undefined, settings)).toEqual({
      convergenceThresholdPerShard: 9,
      maxConvergenceRoundsPerShard: 1000,
      docCountTolerance: 0,
      acceptDataLossIfCustomRoutingIsUsed: false,
      createAlias: false,
      failOnMappingDrift: false,
      targetReadyTimeoutSeconds: 91,
      removeSourceWriteBlockOnSuccess: true,
      transientTargetSettings: { 'index.a': '1', 'index.b': '2' },
    });
  });

  test('what the request says wins, zero and false too', () => {
    expect(
      resolveOptions(
        {
          convergence_threshold_per_shard: 0,
          max_convergence_rounds_per_shard: 3,
          doc_count_tolerance: 4,
          validation_query: { term: { live: true } },
          accept_data_loss_if_custom_routing_is_used: true,
          create_alias: true,
          target_ready_timeout_seconds: 60,
          remove_source_write_block_on_success: false,
          transient_target_settings: { 'index.a': '3' },
        },
        settings,
      ),
    ).toEqual({
      convergenceThresholdPerShard: 0,
      maxConvergenceRoundsPerShard: 3,
      docCountTolerance: 4,
      validationQuery: { term: { live: true } },
      acceptDataLossIfCustomRoutingIsUsed: true,
      createAlias: true,
      failOnMappingDrift: false,
      targetReadyTimeoutSeconds: 60,
      removeSourceWriteBlockOnSuccess: false,
      transientTargetSettings: { 'index.a': '3' },
    });
  });

  test('{} switches transient settings off, and is no validation query', () => {
    const resolved = resolveOptions({ transient_target_settings: {}, validation_query: {} }, settings);
    expect(resolved.transientTargetSettings).toEqual({});
    expect(resolved).not.toHaveProperty('validationQuery');
  });
});
