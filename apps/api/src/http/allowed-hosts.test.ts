import { allowHosts } from './allowed-hosts';

const evil = [
  'evil.example:9650',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '',
  undefined,
  'a b',
  '10.0.0.5',
];

test('on loopback without credentials: the names of loopback, and those that are listed', () => {
  const { allows } = allowHosts('127.0.0.1', ['aosc.internal'], false);
  for (const host of ['127.0.0.1:9650', 'localhost', '[::1]:9650', 'AOSC.internal:80']) {
    expect([host, allows(host)]).toEqual([host, true]);
  }
  for (const host of evil) expect([host, allows(host)]).toEqual([host, false]);
});

test('elsewhere without credentials: those that are listed, and no others', () => {
  const { allows, advice } = allowHosts('0.0.0.0', ['aosc.internal'], false);
  expect(allows('aosc.internal:9650')).toBe(true);
  for (const host of ['127.0.0.1', 'localhost', ...evil]) expect([host, allows(host)]).toEqual([host, false]);
  expect(advice).toContain('AOSC_API_ALLOWED_HOSTS');
});

test('with credentials: any, unless some are listed', () => {
  expect(allowHosts('0.0.0.0', [], true).allows('evil.example')).toBe(true);
  expect(allowHosts('0.0.0.0', ['aosc.internal'], true).allows('evil.example')).toBe(false);
});
