import { ClusterError } from '@aosc/engine';
import { thrownBy } from '../__tests__/thrown-by';
import { splitSearches } from './split-searches';

const answer = '{"took":1,"timed_out":false,"hits":{"hits":[{"_version":9007199254740993}]},"status":200}';
const lost =
  '{"error":{"root_cause":[],"type":"search_phase_execution_exception","reason":"all shards failed","failed_shards":' +
  '[{"reason":{"type":"search_context_missing_exception","reason":"No search context found"}}]},"status":404}';
const split = (text: string) => splitSearches(Buffer.from(text));

test('each search gets its own bytes, and the error of another one is not its own', () => {
  const answers = split(`{"took":3,"responses":[ ${answer} ,${lost},${answer}]}`);
  expect(answers.map((each) => (each instanceof ClusterError ? each.kind : each.toString()))).toEqual([
    answer,
    'snapshot_lost',
    answer,
  ]);
});

test.each([
  '{"took":3}',
  `{"took":3,"responses":[${answer}`,
  `{"took":3,"responses":[${answer}]} x`,
  '{"responses":[{"error":[}],"status":500}]}',
  '<html>',
  '',
])('an answer that is cut off or of another shape proves nothing: %s', (text) => {
  expect(thrownBy(() => split(text))).toMatchObject({ kind: 'transient' });
});
