import { committedAlias, fenceAlias, tokenAlias } from '@aosc/domain';
import { createMigration, key } from '../runner/__tests__/clear-bench';
import { decideMissing, readTokenState, swapActions } from './decide-commit';

const token = tokenAlias(key);
const mark = committedAlias(key);

test.each([
  ['there', [token, 'library']],
  ['committed', [mark]],
  ['taken', ['library']],
  // The mark tells, whoever has made the token once more.
  ['committed', [token, mark]],
] as const)('the token is %s', (state, aliases) => {
  expect(readTokenState(key, aliases)).toBe(state);
});

test.each([
  ['the token, which a commit has won', token, 'committed', 'committed'],
  ['the token, which an abort has won', token, 'taken', 'refused'],
  ['the token, which is there all the same', token, 'there', 'again'],
  ['the alias on the source', 'library', 'there', 'refused'],
  ['the alias on the source, after the commit has landed', 'library', 'committed', 'committed'],
] as const)('what was missing is %s', (_, missing, state, type) => {
  expect(decideMissing(key, `aliases [${missing}] missing`, state)).toEqual({ type });
});

describe('the swap', () => {
  const fence = fenceAlias(key, 0, 1);
  const properties = { json: '{"filter":{}}' };

  test('takes the token first, moves the alias as it was, leaves the mark and closes the fences', () => {
    const source = { aliases: new Map([['library', properties]]) };
    expect(swapActions(createMigration(), source, [fence])).toEqual([
      { remove: { index: 'books2', alias: token, must_exist: true } },
      { remove: { index: 'books', alias: 'library', must_exist: true } },
      { add: { index: 'books2', alias: 'library', properties } },
      { add: { index: 'books2', alias: mark, is_hidden: true } },
      { remove: { index: 'books2', alias: fence, must_exist: false } },
    ]);
  });

  test('makes an alias that is nowhere', () => {
    const actions = swapActions(createMigration(), { aliases: new Map() }, []);
    expect(actions).toContainEqual({ add: { index: 'books2', alias: 'library' } });
    expect(actions).toHaveLength(3);
  });
});
