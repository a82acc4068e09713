import { type Arena, secrets } from './arena';

const valid = { target_index: 'a-target', alias: 'a-alias' };
export const withQuery = (validation_query: object) => ({ ...valid, options: { validation_query } });
const withOptions = (options: object) => ({ ...valid, options });
const withSetting = (name: string, value: unknown) =>
  withOptions({ transient_target_settings: { [name]: value } });
const scripted = (source: string) => ({ ...valid, transform_script: { type: 'inline', source } });
const elsewhere = { index: 'b-secret', id: '1', path: 'area' };
const wrapped = Buffer.from('{"script":{"script":null}}').toString('base64');
const longLine = {
  type: 'linestring',
  coordinates: [
    [0, 0],
    [1e12, 1],
  ],
};
const deepMap =
  'def m = new HashMap(); for (int i = 0; i < 200000; i++) { def n = new HashMap(); n.put("a", m); m = n; } ctx._source.m = m';

/** Starts of known attacks. */
export function testNamedStarts(arena: () => Arena): void {
  test.each<[string, number, string, object, string]>([
    ['the service’s own records as source', 403, '.aosc-migrations', valid, 'may not use index'],
    [
      'a fence as alias',
      400,
      'a-source',
      { ...valid, alias: 'aosc-fence-x-0-1' },
      'name of the service itself',
    ],
    [
      'an alias outside of its patterns',
      403,
      'a-source',
      { ...valid, alias: 'b-alias' },
      'may not use alias',
    ],
    [
      'an alias that is nowhere, outside',
      403,
      'a-source',
      { ...valid, alias: 'payroll' },
      'may not use alias',
    ],
    ['a target outside', 403, 'a-source', { ...valid, target_index: 'b-secret' }, 'may not use index'],
    ['a wrapper that ends a node', 400, 'a-source', withQuery({ wrapper: { query: wrapped } }), '[wrapper]'],
    [
      'a shape of another index',
      400,
      'a-source',
      withQuery({ geo_shape: { area: { indexed_shape: elsewhere } } }),
      'must not hold [geo_shape]',
    ],
    ['terms of another index', 400, 'a-source', withQuery({ terms: { k: elsewhere } }), 'must have a list'],
    [
      'a line around the earth a billion times, which ends a node',
      400,
      'a-source',
      withQuery({ geo_shape: { area: { shape: longLine } } }),
      'must not hold [geo_shape]',
    ],
    [
      'a phrase that runs on after it was cancelled',
      400,
      'a-source',
      withQuery({ match_phrase: { k: { query: 'a '.repeat(500), slop: 100 } } }),
      'must not hold [match_phrase]',
    ],
    [
      'a format whose parsers keep all search threads busy for minutes',
      400,
      'a-source',
      withQuery({ range: { at: { gte: '2020', format: `${'[z]'.repeat(300)}yyyy` } } }),
      'it has [format] at [range.at]',
    ],
    [
      'a date in a year that there is none of, which a shard breaks at',
      400,
      'a-source',
      withQuery({ range: { at: { gte: 'now+2147483647y' } } }),
      'must reckon with dates as in',
    ],
    [
      'a number with ten million digits',
      400,
      'a-source',
      withQuery({ term: { k: '1e-10000000' } }),
      'an exponent below -999',
    ],
    ['a script that ends a node', 403, 'a-source', scripted(deepMap), '[transform]'],
    [
      'a script that tells documents',
      403,
      'a-source',
      scripted('throw new IllegalArgumentException(ctx._source.toString())'),
      '[transform]',
    ],
    [
      'a wait for decades',
      403,
      'a-source',
      withOptions({ target_ready_timeout_seconds: 2_000_000_000 }),
      'at most [604800]',
    ],
    [
      'copies that fill the cluster',
      403,
      'a-source',
      withSetting('index.number_of_replicas', 990),
      'at most 1 replicas',
    ],
    [
      'copies in digits that only Java reads',
      403,
      'a-source',
      withSetting('index.number_of_replicas', '٩٩٠'),
      'at most 1 replicas',
    ],
    [
      'a copy on every node',
      403,
      'a-source',
      withSetting('index.auto_expand_replicas', '0-all'),
      '[transform]',
    ],
    [
      'documents in the log of a node',
      403,
      'a-source',
      withSetting('index.indexing.slowlog.threshold.index.warn', '0ms'),
      'reaches beyond the index',
    ],
    [
      'the queries of others in the log of a node',
      403,
      'a-source',
      withSetting('index.search.slowlog.threshold.query.warn', '0ms'),
      'reaches beyond the index',
    ],
    [
      'a pipeline of others',
      403,
      'a-source',
      withSetting('index.default_pipeline', 'of-others'),
      '[transform]',
    ],
    [
      'nodes that are kept for others',
      403,
      'a-source',
      withSetting('index.routing.allocation.require._name', 'reserved'),
      'reaches beyond the index',
    ],
  ])('%s', async (_, status, source, body, phrase) => {
    const before = await arena().look();
    const answer = await arena().start(source, body);
    const text = JSON.stringify(answer.body);
    expect({ status: answer.status, text }).toEqual({
      status,
      text: expect.stringContaining(phrase) as string,
    });
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(await arena().look()).toEqual(before);
  });

  const target = { target_index: 'a-made' };
  test.each<[string, number, object, string]>([
    [
      'a target that takes more than a tenth of the shards of the cluster',
      403,
      { ...target, number_of_shards: 64, settings: { 'index.number_of_replicas': 1 } },
      'may add 100 at once',
    ],
    [
      'a target with copies that fill the cluster',
      403,
      { ...target, settings: { 'index.number_of_replicas': 990 } },
      'at most 1 replicas',
    ],
    [
      'a target that writes documents into the log of a node',
      403,
      { ...target, settings: { 'index.indexing.slowlog.threshold.index.warn': '0ms' } },
      'reaches beyond the index',
    ],
    [
      'a target on nodes that are kept for others',
      403,
      { ...target, settings: { 'index.routing.allocation.require._name': 'reserved' } },
      'reaches beyond the index',
    ],
    [
      'a dictionary outside of its folder',
      400,
      {
        ...target,
        settings: { 'index.analysis.filter.f.type': 'hunspell', 'index.analysis.filter.f.language': '../..' },
      },
      'reads a file of the node',
    ],
  ])('%s', async (_, status, body, phrase) => {
    const before = await arena().look();
    const answer = await arena().createTarget('a-source', body);
    const text = JSON.stringify(answer.body);
    expect({ status: answer.status, text }).toEqual({
      status,
      text: expect.stringContaining(phrase) as string,
    });
    expect(await arena().look()).toEqual(before);
  });
}
