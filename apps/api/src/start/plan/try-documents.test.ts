import { groupRefusals, withoutValues } from './try-documents';

test.each([
  [
    "failed to parse field [n] of type [long] in document with id 'a'. Preview of field's value: 'secret'",
    'failed to parse field [n] of type [long]',
  ],
  ['For input string: "secret"', 'For input string'],
  [
    'failed to parse date field [secret] with format [epoch_millis]',
    'failed to parse date field with format [epoch_millis]',
  ],
  ['Limit of total fields [2] has been exceeded', 'Limit of total fields [2] has been exceeded'],
])('a reason without values: %s', (reason, text) => {
  expect(withoutValues(reason)).toBe(text);
});

test('the most frequent reason comes first, with ten ids at the most', () => {
  const refusals = Array.from({ length: 30 }, (_, n) => ({
    reason: n % 3 === 0 ? 'rare' : 'usual',
    id: String(n),
  }));
  expect(groupRefusals(refusals)).toEqual([
    { reason: 'usual', count: 20, ids: ['1', '2', '4', '5', '7', '8', '10', '11', '13', '14'] },
    { reason: 'rare', count: 10, ids: ['0', '3', '6', '9', '12', '15', '18', '21', '24', '27'] },
  ]);
});
