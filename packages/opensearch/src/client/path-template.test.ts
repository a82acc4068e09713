import { pathTemplate } from './path-template';

test.each([
  ['/', '/'],
  ['/orders', '/{index}'],
  ['/orders/_bulk', '/{index}/_bulk'],
  ['/orders/_doc/4711', '/{index}/_doc/{id}'],
  ['/orders/_doc/_bulk', '/{index}/_doc/{id}'],
  ['/orders/_update/ann%40example.org', '/{index}/_update/{id}'],
  ['/orders/_search/point_in_time', '/{index}/_search/point_in_time'],
  ['/orders/_block/write', '/{index}/_block/write'],
  ['/orders/_stats/indexing', '/{index}/_stats/indexing'],
  ['/_scripts/search', '/_scripts/{id}'],
  ['/_tasks', '/_tasks'],
  ['/_alias/orders-read', '/_alias/{name}'],
  ['/_cluster/health/orders', '/_cluster/health/{name}'],
  ['/_cluster/state/metadata,blocks/orders', '/_cluster/state/{name}/{name}'],
  ['/_ingest/pipeline/aosc-transform-0/_simulate', '/_ingest/pipeline/{name}/_simulate'],
  ['/_nodes/data:true/stats/indices/search', '/_nodes/data:true/stats/indices/search'],
  ['/_plugins/_security/authinfo', '/_plugins/_security/authinfo'],
])('%s is %s in a trace', (path, template) => {
  expect(pathTemplate(path)).toBe(template);
});
