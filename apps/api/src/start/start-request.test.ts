import { AoscError } from '@aosc/contract';
import { findEditProblems } from '../target/target-request';
import { readStartRequest } from './start-request';

const valid = { target_index: 'books2', alias: 'library' };

function reasonFor(body: unknown, source = 'books'): string {
  try {
    readStartRequest(source, body);
  } catch (error) {
    if (error instanceof AoscError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}
const validation = (...messages: string[]) =>
  `validation_failed: Validation Failed: ${messages.map((text, i) => `${i + 1}: ${text};`).join('')}`;

test('a request with everything', () => {
  const script = { type: 'inline', source: 'identity', apply_to_deletes: true } as const;
  const options = {
    doc_count_tolerance: 0,
    validation_query: { match_all: {} },
    transient_target_settings: {},
  };
  expect(readStartRequest('books', { ...valid, source_index: 7, transform_script: script, options })).toEqual(
    { source: 'books', target: 'books2', alias: 'library', script, options },
  );
});

test('null means left out, but stays a value inside settings', () => {
  const options = { doc_count_tolerance: null, transient_target_settings: { 'index.codec': null } };
  const { script, options: read } = readStartRequest('books', { ...valid, transform_script: null, options });
  expect(script).toBeUndefined();
  expect(read).toEqual({ transient_target_settings: { 'index.codec': null } });
});

test.each([
  ['no body', undefined, validation('target.index is required', 'alias is required')],
  ['an empty body', {}, validation('target.index is required', 'alias is required')],
  ['a blank alias', { ...valid, alias: ' ' }, validation('alias is required')],
  [
    'source = target',
    { ...valid, target_index: 'books' },
    validation('source index and target.index must be different'),
  ],
  ['a target of another type', { ...valid, target_index: 7 }, validation('target.index must be a string')],
  ['a list', [], 'parsing_failed: The request body must be a JSON object'],
  [
    'an unknown field',
    { ...valid, option: {} },
    validation('unknown field [option] -> did you mean [options]?'),
  ],
  ['an unknown field like nothing', { ...valid, priority: 1 }, validation('unknown field [priority]')],
  [
    'an unknown option',
    { ...valid, options: { doc_count_tolerence: 1 } },
    validation('unknown field [options.doc_count_tolerence] -> did you mean [doc_count_tolerance]?'),
  ],
  [
    'a rehearsal by files',
    { ...valid, options: { rehearse: true, copy: 'auto' } },
    validation(
      'copy must be documents in a rehearsal, got auto: making a target of files blocks writes for a moment',
    ),
  ],
  [
    'an inline script without source',
    { ...valid, transform_script: { type: 'inline' } },
    validation('transform_script.source is required for inline scripts'),
  ],
  [
    'a stored script without id',
    { ...valid, transform_script: { type: 'stored', id: '' } },
    validation('transform_script.id is required for stored scripts'),
  ],
  [
    'a script of another type',
    { ...valid, transform_script: { type: 'file' } },
    validation('unknown transform_script type: file'),
  ],
  [
    'a script without type',
    { ...valid, transform_script: { source: 'x' } },
    validation('transform_script.type is required: inline or stored'),
  ],
  [
    'a threshold out of range',
    { ...valid, options: { convergence_threshold_per_shard: 1_000_001 } },
    validation(
      'convergence_threshold_per_shard is invalid: Failed to parse value [1000001] for setting [aosc.defaults.convergence_threshold] must be <= 1000000',
    ),
  ],
  [
    'no rounds',
    { ...valid, options: { max_convergence_rounds_per_shard: 0 } },
    validation(
      'max_convergence_rounds_per_shard is invalid: Failed to parse value [0] for setting [aosc.defaults.max_convergence_rounds] must be >= 1',
    ),
  ],
  [
    'a short time-out',
    { ...valid, options: { target_ready_timeout_seconds: 59 } },
    validation(
      'target_ready_timeout_seconds is invalid: failed to parse value [59s] for setting [aosc.target.ready_timeout], must be >= [1m]',
    ),
  ],
  [
    'a number as text',
    { ...valid, options: { convergence_threshold_per_shard: '5' } },
    validation('convergence_threshold_per_shard must be an integer, got "5"'),
  ],
  [
    'a negative tolerance',
    { ...valid, options: { doc_count_tolerance: -1 } },
    validation('doc_count_tolerance must be >= 0, got -1'),
  ],
  [
    'a setting that is none of an index',
    { ...valid, options: { transient_target_settings: { 'cluster.x': 1 } } },
    validation("transient_target_settings keys must start with 'index.', got 'cluster.x'"),
  ],
  [
    'asynchronous durability',
    { ...valid, options: { transient_target_settings: { 'index.translog.durability': 'ASYNC' } } },
    validation(
      'transient_target_settings must not set [index.translog.durability] to [async]: the target could lose writes it has acknowledged',
    ),
  ],
  [
    'a setting with a list',
    { ...valid, options: { transient_target_settings: { 'index.a/b~c': [] } } },
    validation('options.transient_target_settings.index.a/b~c must be a text, number, boolean or null'),
  ],
])('%s is refused', (_, body, reason) => {
  expect(reasonFor(body)).toBe(reason);
});

test.each(['index.blocks.write', 'index.final_pipeline', 'index.gc_deletes', 'index.number_of_shards'])(
  '%s is not for the operator to set on the target meanwhile',
  (name) => {
    const reason = reasonFor({ ...valid, options: { transient_target_settings: { [name]: '1' } } });
    expect(reason).toContain(`transient_target_settings must not set [${name}]`);
  },
);

test.each(['index.*', 'index.b*'])('the pattern %s could be put back by nobody', (name) => {
  const reason = reasonFor({ ...valid, options: { transient_target_settings: { [name]: null } } });
  expect(reason).toContain(`transient_target_settings must not have a pattern [${name}]`);
});

test('all problems are told at once', () => {
  expect(
    reasonFor({
      alias: 5,
      sorce: 1,
      transform_script: { type: 'inline' },
      options: {
        doc_count_tolerance: -1,
        remove_source_write_block_on_success: 'yes',
        transient_target_settings: { x: 1 },
      },
    }),
  ).toBe(
    validation(
      'unknown field [sorce]',
      'alias must be a string',
      'doc_count_tolerance must be >= 0, got -1',
      'remove_source_write_block_on_success must be a boolean, got "yes"',
      'target.index is required',
      'transform_script.source is required for inline scripts',
      "transient_target_settings keys must start with 'index.', got 'x'",
    ),
  );
});

describe('hostile bodies', () => {
  const option = (name: string, value: unknown) => reasonFor({ ...valid, options: { [name]: value } });

  test('as many problems as fit into a megabyte are told in a few sentences', () => {
    const fields = Array.from({ length: 60_000 }, (_, i) => [`target_ind${i}`, 1]);
    const reason = reasonFor({ ...valid, ...Object.fromEntries(fields) });
    expect(reason).toMatch(
      /^validation_failed: .*20: unknown field \[target_ind19\].*; *21: 59980 more of the kind;$/,
    );
  });

  test('more settings than a request may have are not looked at one by one', () => {
    const settings = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`index.a${i}`, value]));
    const reason = (count: number, value: unknown) =>
      option('transient_target_settings', settings(count, value));
    expect(reason(100, 1)).toBe('accepted');
    expect(reason(60_000, 1)).toBe(
      validation('transient_target_settings must not hold more than 100 settings'),
    );
    expect(reason(60_000, {})).toMatch(/;21: 81 more of the kind;$/);
  });

  test('only names that the answer shows get a hint', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`index.refresh_intervl${i}`, 1]));
    const problems = findEditProblems({ settings: many });
    expect(problems).toHaveLength(300);
    const hinted = problems.map((problem) => problem.includes('did you mean [index.refresh_interval]'));
    expect(hinted.indexOf(false)).toBe(20);
    expect(hinted.lastIndexOf(true)).toBe(19);
  });

  test('long names and values are quoted in part', () => {
    const long = 'x'.repeat(2 ** 20);
    for (const body of [
      { [long]: 1 },
      { options: { [long]: 1 } },
      { options: { doc_count_tolerance: long } },
    ]) {
      const reason = reasonFor({ ...valid, ...body });
      expect(reason).toContain('xxx…');
      expect(reason.length).toBeLessThan(1000);
    }
  });

  test.each([
    ['doc_count_tolerance', Infinity, 'doc_count_tolerance must be <= 9007199254740991, got Infinity'],
    ['doc_count_tolerance', 2 ** 53, 'doc_count_tolerance must be <= 9007199254740991, got 9007199254740992'],
    ['doc_count_tolerance', -Infinity, 'doc_count_tolerance must be >= 0, got -Infinity'],
    ['target_ready_timeout_seconds', 1e300, 'target_ready_timeout_seconds is invalid: '],
    ['target_ready_timeout_seconds', 2 ** 53 - 1, 'target_ready_timeout_seconds is invalid: '],
    ['convergence_threshold_per_shard', Infinity, 'convergence_threshold_per_shard is invalid: '],
    [
      'transient_target_settings',
      { 'index.\n': {} },
      'options.transient_target_settings.index.\n must be a text, number, boolean or null',
    ],
  ])('%s of %p', (name, value, phrase) => {
    expect(option(name, value)).toContain(phrase);
  });

  test.each([0, -0, 1.0, 2 ** 53 - 1])('%p is a whole number', (value) => {
    expect(option('doc_count_tolerance', value)).toBe('accepted');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is a field as unknown as any',
    (name) => {
      const body: unknown = JSON.parse(
        `{"target_index":"t","alias":"a","${name}":{"alias":"b"},"options":{"${name}":1}}`,
      );
      expect(reasonFor(body)).toBe(validation(`unknown field [${name}]`, `unknown field [options.${name}]`));
      expect({}).not.toHaveProperty('alias');
    },
  );
});

describe('names that no start may have', () => {
  const own = ['.aosc-migrations', 'aosc-fence-0123456789abcdef0123-0-1', 'aosc-token-x', 'aosc-block-x'];
  test.each(own)(
    '%s, the service’s own, as source, target or alias, whatever the operator allows',
    (name) => {
      for (const [source, part] of [
        [name, {}],
        ['books', { target_index: name }],
        ['books', { alias: name }],
      ] as const) {
        expect(() => readStartRequest(source, { ...valid, ...part }, ['*'])).toThrow(
          `[${name}] is a name of the service itself`,
        );
      }
    },
  );

  test('hidden ones, unless the operator allows them', () => {
    const body = { target_index: '.reports-v2', alias: '.reports' };
    expect(() => readStartRequest('.reports-v1', body)).toThrow(
      'Validation Failed: 1: source index [.reports-v1] is hidden, it begins with a dot: the operator can allow it in ' +
        'AOSC_HIDDEN_INDICES;2: target index [.reports-v2] is hidden',
    );
    expect(readStartRequest('.reports-v1', body, ['.reports*'])).toMatchObject({ alias: '.reports' });
  });
});
