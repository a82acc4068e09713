import type { BeforeHookResult, HookContext } from '@bull-board/api/typings/app';

/**
 * What may be changed through the board: that jobs run again, run sooner, or are gone. The scheduler makes from the
 * records what is missing, so none of it can break a migration. What is not listed is refused, also what a later
 * version of the board brings.
 */
const allowed: ReadonlySet<string> = new Set([
  '/api/queues/:queueName/retry/:queueStatus',
  '/api/queues/:queueName/:jobId/retry',
  '/api/queues/:queueName/promote',
  '/api/queues/:queueName/:jobId/promote',
  '/api/queues/:queueName/clean/:queueStatus',
  '/api/queues/:queueName/:jobId/clean',
  '/api/queues/:queueName/empty',
  // A queue is paused by other tools at most; this is the way out.
  '/api/queues/:queueName/resume',
  '/api/queues/resume',
]);

const permitsSetting = 'aosc.backfill.max_concurrent_per_node';
const noPause = `A paused queue would leave its migrations where they are, also under a write block. To start no further backfills, set ${permitsSetting} to 0; to end a migration, cancel it`;
const noJobs = 'Jobs are made from the records of migrations, and carry nothing that is worth changing';
const noDelay = 'A job that is put off holds up its shard or its migration';

/** Reasons for what users of the board know from elsewhere. */
const reasons: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '/api/queues/pause': noPause,
    '/api/queues/:queueName/pause': noPause,
    '/api/queues/:queueName/concurrency': `The setting ${permitsSetting} decides how many backfills of a node run at once`,
    '/api/queues/:queueName/rate-limit':
      'Queues have no rate limit here: the controllers of backfill and replay follow the cluster (aosc.backfill.controller, aosc.replay.controller)',
    '/api/queues/:queueName/obliterate':
      'It is for paused queues, and takes their limits away: empty the queue instead',
    '/api/queues/:queueName/add': noJobs,
    '/api/queues/:queueName/:jobId/update-data': noJobs,
    '/api/queues/:queueName/:jobId/delay': noDelay,
    '/api/queues/:queueName/:jobId/priority': noDelay,
  }),
);

/** Jobs of one answer; the board's page asks for 10 to 50. */
const maxJobsPerPage = 200;

/** Decides about a request to the board before it is carried out. Called with the route that has matched. */
export function decideAction({
  method,
  route,
  request,
}: Pick<HookContext, 'method' | 'route' | 'request'>): BeforeHookResult {
  if (method === 'get') {
    const { jobsPerPage } = request.query;
    if (jobsPerPage === undefined || Number(jobsPerPage) <= maxJobsPerPage) return { allow: true };
    return { allow: false, status: 400, message: `jobsPerPage must be at most ${maxJobsPerPage}` };
  }
  if (allowed.has(route)) return { allow: true };
  return { allow: false, status: 403, message: reasons.get(route) ?? 'This is not offered for these queues' };
}
