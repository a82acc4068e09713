export { type Call } from './ports/call';
export { type Clock } from './ports/clock';
export { ClusterError, type ClusterErrorKind, isClusterError, isIndexMissing } from './ports/cluster-error';
export type { DocumentHead, RawDocument } from './ports/documents';
export type {
  IndexRouting,
  PrimaryCheckpoint,
  PrimaryRouting,
  ShardCopy,
  IndexDescription,
  IndexHealth,
} from './ports/index-state-port';
export type { DocumentPage, Page, PageRequest, Selection } from './ports/snapshot-port';
export type { SourcePort } from './ports/source-port';
export type { AliasAction, AliasProperties, AliasUpdate } from './ports/alias-port';
export type { TargetPort } from './ports/target-port';
export type { WriteTasks, MovedAlias } from './ports/task-port';
export type {
  BulkItem,
  BulkOutcome,
  BulkTransform,
  BulkCall,
  ItemFailure,
  ItemFailureKind,
} from './ports/write-port';
export { otherAliases } from './ports/index-state-port';
export type { AdminPort } from './ports/admin-port';
export type { ClusterView, StatePosition } from './ports/cluster-port';
export type { SettingValue, WriteBlockState } from './ports/settings-port';
export type { TransformRequest, TransformResult } from './ports/transform-port';
export type { Stored, StorePort } from './ports/store-port';
export type { Permit } from './ports/permit-port';
export type { LogPort } from './ports/log-port';
export { advanceMigration, type AdvanceResult } from './migration/runner/coordinator';
export { type ClearContext, clearMigration } from './migration/runner/clear';
export type { ClaimsPort, CoordinatorContext, CoordinatorTiming, Liveness } from './migration/step/context';
export { BlockWatch, holdsBlock } from './migration/step/block-watch';
export { liftUnwritten, type UnwrittenLift } from './migration/write-block/lift-unwritten';
export { ShardWatch } from './migration/step/shard-watch';
export { countByShard } from './cluster/count-on-primaries';
export { coalesceIndexCalls } from './cluster/coalesced-source';
export type { Pacing, ShardContext, ShardMetrics, ShardPacing, ShardTiming } from './shard/context';
export { NodeWatch } from './cluster/node-watch';
export { type JobResult, runShardJob } from './shard/jobs/run-shard-job';
