export type { ConnectionRole, RedisTls } from './connection';
export {
  type Consumer,
  type ConsumerOptions,
  createConsumer,
  type HandlerResult,
  type JobSignals,
} from './consumer';
export { parseAdvanceJob, parseShardJob } from './job-data';
export { LockLostError } from './lock-watch';
export { advanceQueue, backfillQueue, catchUpQueue, keyPrefix, replayQueue } from './queue-names';
export { createQueues, type Queues, type QueuesOptions } from './queues';
