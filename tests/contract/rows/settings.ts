import { errorLike } from '../../../apps/api/src/__tests__/error-like';
import type { Row, Rows } from '../support/contract-run';
import type { CallApi } from '../support/workshop';
import { type SettingLine, settingLines } from './settings-table';

const path = '/_cluster/settings';
const reset = { persistent: { 'aosc.*': null }, transient: { 'aosc.*': null } };
const illegal = 'illegal_argument_exception';

interface Shown {
  readonly persistent: Readonly<Record<string, string>>;
  readonly transient: Readonly<Record<string, string>>;
  readonly defaults: Readonly<Record<string, string>>;
}

async function show(api: CallApi): Promise<Shown> {
  const { body } = await api('GET', `${path}?include_defaults=true&flat_settings=true`);
  return body as Shown;
}

/** Puts every setting back after a row, whatever came of it. */
const leavingNothing =
  (row: Row): Row =>
  async (run) => {
    try {
      await row(run);
    } finally {
      await run.api('PUT', path, reset);
    }
  };

/** Both ends (the one persistent, the other transient), what is refused, and back to the default. */
const lineRow =
  ({ name, shown, min, max, refused, along = {} }: SettingLine): Row =>
  async ({ api }) => {
    const change = {
      persistent: { ...along.min, [name]: min },
      transient: { ...along.max, [name]: max },
    };
    try {
      expect(await api('PUT', path, change)).toMatchObject({ status: 200, body: { acknowledged: true } });
      for (const value of refused) {
        // In the transient scope it would be in force.
        expect(await api('PUT', path, { transient: { [name]: value } })).toMatchObject({
          status: 400,
          body: { error: { type: illegal } },
        });
      }
      const set = await show(api);
      expect([set.persistent[name], set.transient[name]]).toEqual([String(min), String(max)]);
      expect(set.defaults).not.toHaveProperty([name]);
    } finally {
      const names = Object.keys({ ...change.persistent, ...change.transient });
      const back = Object.fromEntries(names.map((each) => [each, null]));
      await api('PUT', path, { persistent: back, transient: back });
    }
    const after = await show(api);
    expect([after.persistent, after.transient]).toEqual([{}, {}]);
    expect(after.defaults[name]).toBe(shown);
  };

const page = 'aosc.backfill.read.page_size';

const endpointRows: Rows = {
  'cluster-settings/put-persistent': leavingNothing(async ({ api }) => {
    expect(await api('PUT', path, { persistent: { [page]: 7 } })).toEqual({
      status: 200,
      body: {
        acknowledged: true,
        persistent: { aosc: { backfill: { read: { page_size: '7' } } } },
        transient: {},
      },
    });
    expect((await show(api)).persistent).toEqual({ [page]: '7' });
  }),
  'cluster-settings/put-transient': leavingNothing(async ({ api }) => {
    expect(await api('PUT', `${path}?flat_settings=true`, { transient: { [page]: '7' } })).toEqual({
      status: 200,
      body: { acknowledged: true, persistent: {}, transient: { [page]: '7' } },
    });
    expect((await show(api)).transient).toEqual({ [page]: '7' });
  }),
  'cluster-settings/include-defaults': async ({ api }) => {
    const { body } = await api('GET', `${path}?include_defaults=true`);
    expect(body).toMatchObject({ defaults: { aosc: { backfill: { read: { page_size: '1000' } } } } });
    expect((await api('GET', path)).body).not.toHaveProperty('defaults');
  },
  'cluster-settings/all-dynamic': async ({ api }) => {
    const { defaults } = await show(api);
    // docs/reference/differences.md names these.
    const added = ['aosc.cutover.hold_writers', 'aosc.cutover.max_hold', 'aosc.cutover.max_pause'];
    const names = [...settingLines.map(({ name }) => name), ...added];
    expect(Object.keys(defaults).sort()).toEqual(names.sort());
  },
  'cluster-settings/precedence': ({ samples }) => {
    // persistent 11, transient 33
    expect(samples.options.fromSettings).toMatchObject({ convergence_threshold_per_shard: 33 });
  },
  'cluster-settings/null': leavingNothing(async ({ api }) => {
    await api('PUT', path, { persistent: { [page]: 7 }, transient: { [page]: 8 } });
    await api('PUT', path, { transient: { [page]: null } });
    const { persistent, transient } = await show(api);
    expect([persistent, transient]).toEqual([{ [page]: '7' }, {}]);
    await api('PUT', path, { persistent: { [page]: null } });
    const after = await show(api);
    expect(after.persistent).toEqual({});
    expect(after.defaults[page]).toBe('1000');
  }),
  'cluster-settings/wildcard': leavingNothing(async ({ api }) => {
    const kept = { 'aosc.replay.controller.batch.size': '9' };
    await api('PUT', path, {
      persistent: { ...kept, [page]: 7, 'aosc.backfill.controller.batch.size': 8 },
    });
    await api('PUT', path, { persistent: { 'aosc.backfill.*': null } });
    expect((await show(api)).persistent).toEqual(kept);
  }),
  'cluster-settings/nested': leavingNothing(async ({ api }) => {
    const bodies = [
      { [page]: 7 },
      { aosc: { backfill: { read: { page_size: 7 } } } },
      { 'aosc.backfill': { 'read.page_size': 7 } },
    ];
    for (const persistent of bodies) {
      expect(await api('PUT', path, { persistent })).toMatchObject({ status: 200 });
      expect((await show(api)).persistent).toEqual({ [page]: '7' });
      await api('PUT', path, reset);
    }
  }),
  'cluster-settings/all-or-nothing': async ({ api }) => {
    const before = await show(api);
    const refused = [
      { persistent: { [page]: 7, 'aosc.no.such': 1 } },
      { persistent: { [page]: 7 }, transient: { [page]: 0 } },
      { persistent: { [page]: 7, 'aosc.backfill.controller.concurrency': 9 } },
    ];
    for (const body of refused) expect(await api('PUT', path, body)).toMatchObject({ status: 400 });
    expect(await show(api)).toEqual(before);
  },
  'cluster-settings/foreign': async ({ api }) => {
    expect(await api('PUT', path, { persistent: { 'cluster.max_shards_per_node': 5 } })).toEqual(
      errorLike(400, illegal, 'all others are set on the cluster itself'),
    );
  },
};

/** Low impact and high throughput, line by line. */
const profileLines: readonly (readonly [string, string, string])[] = [
  ['aosc.backfill.controller.batch.max_docs', '500', '5000'],
  ['aosc.backfill.controller.batch.size', '500', '5000'],
  ['aosc.backfill.read.page_size', '1000', '5000'],
  ['aosc.backfill.controller.type', 'adaptive_batch', 'adaptive'],
  ['aosc.replay.controller.batch.max_docs', '500', '5000'],
  ['aosc.replay.controller.batch.size', '500', '5000'],
  ['aosc.replay.controller.type', 'adaptive_batch', 'adaptive_batch'],
  ['aosc.defaults.convergence_threshold', '500', '5000'],
  ['aosc.backfill.max_concurrent_per_node', '1', '10'],
];

const profileRow = (column: 1 | 2): Row =>
  leavingNothing(async ({ api }) => {
    const profile = Object.fromEntries(profileLines.map((line) => [line[0], line[column]]));
    expect(await api('PUT', path, { persistent: profile })).toMatchObject({ status: 200 });
    expect((await show(api)).persistent).toEqual(profile);
  });

const profileRows: Rows = {
  'profiles/low-impact': profileRow(1),
  'profiles/high-throughput': profileRow(2),
  ...Object.fromEntries(
    profileLines.map(([name, low, high]): [string, Row] => [
      `profiles/${name}`,
      leavingNothing(async ({ api }) => {
        const change = { persistent: { [name]: low }, transient: { [name]: high } };
        expect(await api('PUT', path, change)).toMatchObject({ status: 200 });
        expect(await show(api)).toMatchObject(change);
      }),
    ]),
  ),
};

export const settingsRows: Rows = {
  ...Object.fromEntries(settingLines.map((line) => [`settings/${line.name}`, lineRow(line)])),
  ...endpointRows,
  ...profileRows,
};
