import { composeBulkBody } from './bulk-body';
import { readDocumentPage } from './pages';

const hit = '{"_index":"i","_id":"1","_version":1,"_score":null,"_source":{"a":1},"sort":[0]}';
const answer = Buffer.from(
  '{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},' +
    `"hits":{"max_score":null,"hits":[${hit}]}}`,
);

test('a document of a released page throws, because its bytes may be those of another by now', () => {
  const page = readDocumentPage(answer);
  const [document] = page.documents;
  if (document === undefined) throw new Error('the page has no document');
  expect(composeBulkBody([{ kind: 'index', document }]).toString()).toMatch(/\{"a":1\}\n$/);
  page.release();
  page.release();
  expect(() => document.source).toThrow(/after its page was released/);
  expect(() => document.idToken).toThrow(/after its page was released/);
  expect(() => composeBulkBody([{ kind: 'index', document }])).toThrow(/after its page was released/);
});
