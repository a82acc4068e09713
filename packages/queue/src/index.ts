export { type Budget, type Budgets, createBudgets, type Marks } from './budgets';
export type { BoardQueues } from './board-queues';
export {
  type Consumer,
  type ConsumerOptions,
  createConsumer,
  type HandlerResult,
  type JobSignals,
} from './consumer';
export { examineRedis, type RedisFacts } from './examine-redis';
export type { MigrationLabel } from './describe-job';
export { findMigrationKey, parseAdvanceJob, parseShardJob, parseVerifyJob } from './job-data';
export { LockLostError } from './lock-watch';
export {
  advanceQueue,
  backfillQueue,
  catchUpQueue,
  replayQueue,
  shardJobName,
  verifyQueue,
} from './queue-names';
export { createQueues, type Queues } from './queues';
export type { JobCounts } from './count-jobs';
export type { Presence } from './presence';
export type { MarkContent, RedisMark } from './redis-mark';
export { removeInstallation } from './remove-installation';
export { RedisSilentError } from './while-redis-answers';
