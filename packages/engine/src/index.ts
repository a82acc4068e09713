export { type Call } from './ports/call';
export { type Clock } from './ports/clock';
export { ClusterError, type ClusterErrorKind, isClusterError, isIndexMissing } from './ports/cluster-error';
export type { DocumentHead, RawDocument } from './ports/documents';
export type {
  IndexRouting,
  DocumentPage,
  Page,
  PageRequest,
  PrimaryCheckpoint,
  PrimaryRouting,
  Selection,
  ShardCopy,
  SourcePort,
} from './ports/source-port';
export type {
  AliasAction,
  AliasProperties,
  BulkItem,
  BulkOutcome,
  BulkTransform,
  BulkCall,
  ItemFailure,
  ItemFailureKind,
  TargetPort,
  WriteTasks,
} from './ports/target-port';
export { otherAliases } from './ports/admin-port';
export type {
  AdminPort,
  AliasUpdate,
  ClusterView,
  MovedAlias,
  IndexDescription,
  SettingValue,
  StatePosition,
  TargetHealth,
  WriteBlockState,
} from './ports/admin-port';
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
