import {
  isSettingKey,
  resolveOptions,
  resolveSettings,
  settingKeys,
  type SettingTexts,
} from '@aosc/contract';
import type { BulkController, BulkReport } from '@aosc/domain';
import type { Pacing, ShardPacing } from '@aosc/engine';
import { createPacing } from './shard-pacing';

const measured = { documents: 100, bytes: 100_000, elapsedMs: 100, tookMs: 90 };

function succeed(controller: BulkController, times = 1, elapsedMs = 100): void {
  for (let i = 0; i < times; i++) {
    const { ticket } = controller.limits();
    controller.observe({ ...measured, elapsedMs, tookMs: elapsedMs, ticket, kind: 'success' });
  }
}

function fail(controller: BulkController, kind: Exclude<BulkReport['kind'], 'success'> = 'overload') {
  const { ticket } = controller.limits();
  return controller.observe({ ...measured, ticket, kind, reason: 'rejected execution', attempts: 1 });
}

/** What is decided next: sizes, and the verdicts on failures. */
type Decide = (writer: ShardPacing) => unknown;

interface Case {
  readonly to: string;
  /** other settings, from the beginning */
  readonly given?: SettingTexts;
  /** what has happened before the change */
  readonly before?: (controller: BulkController) => void;
  readonly decide: Decide;
}

/** All that the next bulk is held to, but for what identifies it. */
const limits: Decide = ({ controller }) => ({ ...controller.limits(), ticket: undefined });
const limitsAfter =
  (act: (controller: BulkController) => unknown): Decide =>
  (writer) => [act(writer.controller), limits(writer)];
const verdict: Decide = ({ controller }) => fail(controller);
const shrunk = (successes: number) => (controller: BulkController) => {
  fail(controller);
  succeed(controller, successes);
};
const growth = limitsAfter((controller) => succeed(controller));
/** Documents have the size that is assumed at first. */
const adaptive = {
  'aosc.backfill.controller.type': 'adaptive',
  'aosc.backfill.controller.batch.start_bytes_per_doc': '1000b',
};

/** Of each writer, by the end of the key. */
const ofBothWriters = (prefix: 'aosc.backfill.controller.' | 'aosc.replay.controller.') =>
  ({
    'batch.size': { given: { [`${prefix}type`]: 'fixed' }, to: '77', decide: limits },
    'batch.max_bytes': { to: '2mb', decide: limits },
    'batch.min_bytes': {
      before: (controller) => Array.from({ length: 12 }, () => fail(controller)),
      to: '4mb',
      decide: limits,
    },
    'batch.max_docs': { to: '77', decide: limits },
    'batch.start_bytes_per_doc': { to: '1mb', decide: limits },
    'aimd.increase_threshold': { before: shrunk(2), to: '4', decide: growth },
    'aimd.increase_ratio': { before: shrunk(2), to: '0.5', decide: growth },
    'aimd.min_step_bytes': { before: shrunk(2), to: '20mb', decide: growth },
    'aimd.cooldown_ticks': { to: '5', decide: limitsAfter(shrunk(3)) },
    'aimd.trial_revert_threshold': {
      before: shrunk(3),
      to: '0.5',
      decide: limitsAfter((controller) => succeed(controller, 1, 130)),
    },
    'overload.base_pause': { to: '300', decide: verdict },
    'overload.max_pause': {
      before: (controller) => Array.from({ length: 10 }, () => fail(controller)),
      to: '5000',
      decide: verdict,
    },
    type: { to: 'fixed', given: { [`${prefix}batch.size`]: '77' }, decide: limits },
  }) satisfies Readonly<Record<string, Case>>;

const ofTheBackfill: Readonly<Record<string, Case>> = {
  'aosc.backfill.controller.concurrency': { to: '4', decide: limits },
  'aosc.backfill.controller.concurrency.max': {
    given: { ...adaptive, 'aosc.backfill.controller.concurrency': '3' },
    to: '2',
    decide: limits,
  },
  'aosc.backfill.controller.concurrency.probe_interval': {
    given: adaptive,
    before: (controller) => succeed(controller, 4),
    to: '6',
    decide: growth,
  },
  'aosc.backfill.controller.concurrency.gradient_threshold': {
    given: adaptive,
    before: (controller) => succeed(controller, 4),
    to: '10.0',
    decide: limitsAfter((controller) => succeed(controller, 1, 400)),
  },
};

const prefixed = (prefix: Parameters<typeof ofBothWriters>[0]): Record<string, Case> =>
  Object.fromEntries(Object.entries(ofBothWriters(prefix)).map(([end, row]) => [prefix + end, row]));

const cases = {
  backfill: { ...prefixed('aosc.backfill.controller.'), ...ofTheBackfill },
  replay: prefixed('aosc.replay.controller.'),
  /** one setting for both */
  both: {
    'aosc.overload.max_consecutive_failures': { to: '1', decide: verdict },
    'aosc.backfill.read.page_size': { to: '77', decide: ({ pageSizeLimit }) => pageSizeLimit() },
  } satisfies Record<string, Case>,
};

/** They decide nothing about a bulk: what a start request leaves open. */
const defaultsOfAStart: Readonly<Record<string, string>> = {
  'aosc.defaults.convergence_threshold': '7',
  'aosc.defaults.max_convergence_rounds': '7',
  'aosc.defaults.transient_target_settings': '{}',
  'aosc.defaults.remove_source_write_block_on_success': 'true',
  'aosc.target.ready_timeout': '2m',
};

/** Decided by scheduler and queues, between two jobs: see tests/contract/rows/permits.ts, and tests/phases/write-hold. */
const ofJobs = [
  'aosc.backfill.max_concurrent_per_node',
  'aosc.cutover.hold_writers',
  'aosc.cutover.max_hold',
  'aosc.cutover.max_pause',
  'aosc.liveness.check_interval',
  'aosc.liveness.timeout',
];

const withKey = (texts: SettingTexts, key: string, value: string): SettingTexts => {
  if (!isSettingKey(key)) throw new Error(`no setting: ${key}`);
  return { ...texts, [key]: value };
};

/** One shard's writer of backfill or replay, with what has happened to it; its settings can be changed. */
function begin(writer: keyof Pacing, { given = {}, before }: Case) {
  let settings = resolveSettings(given);
  const pacing = createPacing(
    () => settings,
    () => 0.5,
  )('migration')[writer]();
  before?.(pacing.controller);
  return {
    pacing,
    set: (key: string, value: string) => (settings = resolveSettings(withKey(given, key, value))),
  };
}

function decideWithAndWithout(writer: keyof Pacing, key: string, change: Case): [unknown, unknown] {
  const unchanged = begin(writer, change);
  const changed = begin(writer, change);
  changed.set(key, change.to);
  return [change.decide(unchanged.pacing), change.decide(changed.pacing)];
}

test('every setting is in one of the tables here: a new one needs an effect', () => {
  const listed = [
    ...Object.keys({ ...cases.backfill, ...cases.replay, ...cases.both, ...defaultsOfAStart }),
    ...ofJobs,
  ];
  expect(listed.sort()).toEqual([...settingKeys].sort());
});

describe.each(['backfill', 'replay'] as const)('%s, running: the next decision follows', (writer) => {
  const rows = Object.entries<Case>({ ...cases[writer], ...cases.both });

  test.each(rows)('%s', (key, change) => {
    const [without, changed] = decideWithAndWithout(writer, key, change);
    expect(changed).not.toEqual(without);
  });

  test('and nothing follows the settings of the other writer', () => {
    const other = writer === 'backfill' ? 'replay' : 'backfill';
    for (const [key, change] of Object.entries<Case>(cases[other])) {
      const [without, changed] = decideWithAndWithout(writer, key, change);
      expect({ key, decision: changed }).toEqual({ key, decision: without });
    }
  });
});

test.each(Object.entries(defaultsOfAStart))('%s alters what a start takes', (key, value) => {
  const options = (texts: SettingTexts) => resolveOptions(undefined, resolveSettings(texts));
  expect(options(withKey({}, key, value))).not.toEqual(options({}));
});
