import { toOriginForm } from './create-server';

test.each([
  ['/_plugins/_aosc/_list?size=1', '/_plugins/_aosc/_list?size=1'],
  ['//host/_list', '//host/_list'],
  ['/x?to=http://host/', '/x?to=http://host/'],
  ['*', '*'],
  ['http://user:secret@host:9/a?b', '/a?b'],
  ['HTTP://host', '/'],
  ['http://host?a=b', '/?a=b'],
  ['http://[::1', '/'],
  ['http://[::1/healthz', '/healthz'],
  ['http:///a', '/a'],
])('%s -> %s', (target, expected) => {
  expect(toOriginForm(target)).toBe(expected);
});
