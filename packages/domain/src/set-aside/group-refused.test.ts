import { describeRefused, groupRefused, reasonWithoutValues } from './group-refused';

test.each([
  [
    "failed to parse field [n] of type [long] in document with id 'a'. Preview of field's value: 'secret'",
    'failed to parse field [n] of type [long]',
  ],
  [
    '[1:137] object mapping for [odd] tried to parse field [odd] as object, but found a concrete value',
    'object mapping for [odd] tried to parse field [odd] as object, but found a concrete value',
  ],
  [
    'Document contains at least one immense term in field="k". The prefix of the first immense term is: \'[115, 101]...\'',
    'Document contains at least one immense term in field="k".',
  ],
  ['For input string: "secret"', 'For input string'],
  [
    'failed to parse date field [secret] with format [epoch_millis]',
    'failed to parse date field with format [epoch_millis]',
  ],
  ['Limit of total fields [3] has been exceeded', 'Limit of total fields [3] has been exceeded'],
])('of %j no value and no id stays', (reason, kept) => {
  expect(reasonWithoutValues(reason)).toBe(kept);
});

test('refused documents are named by reason, the most frequent first, some of each', () => {
  const of = (id: string, reason: string) => ({ id, type: 'mapper_parsing_exception', reason });
  const refused = [of('a', 'x'), of('b', 'y'), of('c', 'y')];
  expect(groupRefused(refused, 1)).toEqual([
    { type: 'mapper_parsing_exception', reason: 'y', count: 2, sampleIds: ['b'] },
    { type: 'mapper_parsing_exception', reason: 'x', count: 1, sampleIds: ['a'] },
  ]);
  expect(describeRefused(refused)).toBe(
    'mapper_parsing_exception: y (2: [b], [c]); mapper_parsing_exception: x (1: [a])',
  );
});
