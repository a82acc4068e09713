import type { AliasAction } from '@aosc/engine';
import type { OpenSearchClient } from '../client/request';
import { updateAliases } from './aliases';

const call = { signal: new AbortController().signal };
const reason = 'Validation Failed: 1: Must specify at least one alias action;';

function refusing(said = reason): OpenSearchClient {
  const body = Buffer.from(JSON.stringify({ error: { type: 'illegal_argument_exception', reason: said } }));
  return {
    send: () => Promise.resolve({ status: 400, body }),
    nodes: () => [],
    close: () => Promise.resolve(),
  };
}

test.each([
  [
    'some actions: the manager has changed, and the outcome is unknown',
    [{ add: { index: 'a', alias: 'b' } }],
    'transient',
  ],
  ['none', [], 'invalid'],
] as const)('a request refused as empty had %s', async (_, actions: readonly AliasAction[], kind) => {
  await expect(updateAliases(refusing(), actions, call)).rejects.toMatchObject({ kind });
});

test('an index whose name is an alias by now is as good as gone', async () => {
  const said =
    'The provided expression [a] matches an alias, specify the corresponding concrete indices instead.';
  const removal = [{ remove: { index: 'a', alias: 'b', must_exist: true } }];
  expect(await updateAliases(refusing(said), removal, call)).toMatchObject({ type: 'missing' });
});
