import { isBlock, isSwap, nameCall, phaseIn } from './name-call';

const names = { source: 'books-v1', target: 'books-v2', alias: 'books' };
const key = '0123456789abcdef0123';

test.each([
  ['PUT', '/books-v1/_block/write?timeout=30s', 'PUT source/_block/write'],
  ['PUT', '/aosc-block-0123456789abcdef0123/_block/write', 'PUT source/_block/write'],
  ['PUT', `/.aosc-migrations/_doc/s-${key}-3?if_seq_no=1`, 'PUT records/_doc/shard'],
  ['PUT', `/.aosc-migrations/_doc/m-${key}`, 'PUT records/_doc/migration'],
  ['POST', `/aosc-fence-${key}-3-1/_bulk`, 'POST fence/_bulk'],
  ['PUT', `/_ingest/pipeline/aosc-transform-${key}`, 'PUT _ingest/pipeline/aosc-transform-…'],
  [
    'GET',
    '/_cluster/state/routing_table/books-v1%2Cbooks-v2',
    'GET _cluster/state/routing_table/source,target',
  ],
])('%s %s is %s', (method, path, name) => {
  expect(nameCall(method, path, names)).toBe(name);
});

test('phases are read from the record, and the swap from its actions', () => {
  const body = Buffer.from('{"kind":"migration","phase":"CUTTING_OVER","shards":[{"phase":"X"}]}');
  expect(phaseIn('PUT records/_doc/migration', body)).toBe('CUTTING_OVER');
  expect(phaseIn('PUT records/_doc/shard', body)).toBeUndefined();
  const swap = Buffer.from('{"actions":[{"add":{"index":"books-v2","alias":"books"}}]}');
  expect(isSwap('POST _aliases', swap, names)).toBe(true);
  const fence = Buffer.from('{"actions":[{"add":{"index":"books-v2","alias":"aosc-fence-1"}}]}');
  expect(isSwap('POST _aliases', fence, names)).toBe(false);
});

test('the block comes by itself, or in the place of a hold', () => {
  const settings = (text: string) => isBlock('PUT source/_settings', Buffer.from(text));
  expect(isBlock('PUT source/_block/write', Buffer.alloc(0))).toBe(true);
  expect(settings('{"index.blocks.write":true,"index.number_of_replicas":"0"}')).toBe(true);
  expect(settings('{"index.routing.allocation.enable":"none"}')).toBe(false);
  expect(settings('{"index.blocks.write":null}')).toBe(false);
});
