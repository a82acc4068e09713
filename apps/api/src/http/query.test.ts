import { operations } from '@aosc/contract';
import { readQuery } from './query';

/** @param otherwise what `dry_run` is where it is not given */
function read(query: string, otherwise = true) {
  const path = otherwise ? '_clear_state' : '_create_target';
  const operation = operations.find((each) => each.path.endsWith(path));
  if (operation === undefined) throw new Error('no such endpoint');
  return readQuery(`/_x?${query}`, operation);
}

test.each([
  ['', false, false],
  ['', true, true],
  ['dry_run', false, true],
  ['dry_run=true', false, true],
  ['dry_run=false', true, false],
] as const)('a flag given as %j, otherwise %s: %s', (text, otherwise, value) => {
  expect(read(text, otherwise).flag('dry_run')).toBe(value);
});

test.each(['TRUE', '0', 'no'])('[%s] is no flag: a dry run must not be lost to a slip', (text) => {
  expect(() => read(`dry_run=${text}`).flag('dry_run')).toThrow(
    `Failed to parse value [${text}] of parameter [dry_run]`,
  );
});

test.each(['get', 'put'])(
  "%s: the settings take OpenSearch's time-outs, and no filter of the answer",
  (method) => {
    const operation = operations.find((each) => each.path === '/_cluster/settings' && each.method === method);
    if (operation === undefined) throw new Error('no such endpoint');
    const send = (query: string) => readQuery(`/_cluster/settings?${query}`, operation);
    const timeouts = 'timeout=1s&cluster_manager_timeout=1s&master_timeout=1s';
    expect(send(`${timeouts}&flat_settings`).flag('flat_settings')).toBe(true);
    expect(() => send('filter_path=persistent')).toThrow('contains unrecognized parameter: [filter_path]');
  },
);

test('only what the endpoint has in its query counts, and a handler asks for nothing else', () => {
  expect(() => read('index=a', false)).toThrow('contains unrecognized parameter: [index]');
  expect(() => read('dryrun')).toThrow('did you mean [dry_run]?');
  expect(() => read('pretty', false).text('index')).toThrow('the endpoint has no parameter [index]');
});
