import { appRoutes } from '@bull-board/api/dist/routes.js';
import { decideAction } from './board-actions';

type Request = Parameters<typeof decideAction>[0]['request'];

function decide(method: 'get' | 'patch' | 'post' | 'put', route: string, query: Record<string, string> = {}) {
  const request: Request = { queues: new Map(), uiConfig: {}, query, params: {}, body: {}, headers: {} };
  return decideAction({ method, route, request });
}

/** Every route of the board that changes something: what is let through, and a phrase of the reason for the others. */
const decided: Readonly<Record<string, string | true>> = {
  'put /api/queues/pause': 'aosc.backfill.max_concurrent_per_node to 0',
  'put /api/queues/resume': true,
  'post /api/queues/:queueName/add': 'made from the records',
  'put /api/queues/:queueName/retry/:queueStatus': true,
  'put /api/queues/:queueName/promote': true,
  'put /api/queues/:queueName/clean/:queueStatus': true,
  'put /api/queues/:queueName/pause': 'cancel it',
  'put /api/queues/:queueName/resume': true,
  'put /api/queues/:queueName/concurrency': 'aosc.backfill.max_concurrent_per_node',
  'put /api/queues/:queueName/rate-limit': 'controllers',
  'put /api/queues/:queueName/rate-limit/release': 'not offered',
  'put /api/queues/:queueName/empty': true,
  'put /api/queues/:queueName/obliterate': 'empty the queue',
  'put /api/queues/:queueName/job-schedulers/:schedulerId/remove': 'not offered',
  'patch /api/queues/:queueName/job-schedulers/:schedulerId': 'not offered',
  'put /api/queues/:queueName/job-schedulers/:schedulerId/run': 'not offered',
  'put /api/queues/:queueName/:jobId/retry': true,
  'put /api/queues/:queueName/:jobId/clean': true,
  'put /api/queues/:queueName/:jobId/promote': true,
  'patch /api/queues/:queueName/:jobId/update-data': 'made from the records',
  'patch /api/queues/:queueName/:jobId/delay': 'holds up',
  'patch /api/queues/:queueName/:jobId/priority': 'holds up',
  'put /api/queues/:queueName/:jobId/remove-unprocessed-children': 'not offered',
};

test('every route of this version of the board that is no reading is decided', () => {
  const routes = appRoutes.api.flatMap(({ method, route }) =>
    method === 'get' ? [] : [`${String(method)} ${String(route)}`],
  );
  expect(routes.sort()).toEqual(Object.keys(decided).sort());
});

test.each(Object.entries(decided))('%s: %s', (asked, outcome) => {
  const [method = '', route = ''] = asked.split(' ');
  if (method !== 'put' && method !== 'post' && method !== 'patch') throw new Error(method);
  expect(decide(method, route)).toEqual(
    outcome === true
      ? { allow: true }
      : { allow: false, status: 403, message: expect.stringContaining(outcome) as unknown },
  );
});

test('looking is let through, in pages of a size that has a bound', () => {
  expect(decide('get', '/api/queues')).toEqual({ allow: true });
  expect(decide('get', '/api/queues', { jobsPerPage: '50' })).toEqual({ allow: true });
  for (const jobsPerPage of ['201', 'many', '1e9']) {
    expect(decide('get', '/api/queues', { jobsPerPage })).toMatchObject({ allow: false, status: 400 });
  }
});
