export { type Call } from './ports/call';
export { type Clock } from './ports/clock';
export { ClusterError, type ClusterErrorKind, isClusterError, isIndexMissing } from './ports/cluster-error';
export type {
  DocumentHead,
  DocumentKey,
  RawDocument,
  TargetDocument,
  TransformedDocument,
} from './ports/documents';
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
  AliasDefinition,
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
export type { TransformPort, TransformRequest, TransformResult } from './ports/transform-port';
export type { Stored, StorePort } from './ports/store-port';
export type { Permit } from './ports/permit-port';
export type { JobsPort, ShardPlace } from './ports/jobs-port';
export { type EngineEvent, engineEvents, type LogFields, type LogPort } from './ports/log-port';
export { advanceMigration, type AdvanceResult, phaseSteps } from './migration/coordinator';
export { type ClearContext, clearMigration, type ClearOptions, decideClear } from './migration/clear';
export { clearedNote } from './migration/cleared-note';
export type {
  ClaimsPort,
  CoordinatorContext,
  CoordinatorMetrics,
  CoordinatorTiming,
  Liveness,
} from './migration/context';
export { BlockWatch, holdsBlock } from './migration/block-watch';
export { liftUnwritten, type UnwrittenLift } from './migration/lift-unwritten';
export { ShardWatch } from './migration/shard-watch';
export { countByShard } from './shard/count-on-primaries';
export { coalesceIndexCalls } from './shard/coalesced-source';
export type { Pacing, ShardContext, ShardMetrics, ShardPacing, ShardTiming } from './shard/context';
export { NodeWatch } from './shard/node-watch';
export { OwnershipLostError, ShardFailedError, SnapshotLostError } from './shard/errors';
export { type JobResult, runShardJob } from './shard/run-shard-job';
export type { LastOverload } from './shard/pauses';
export type { WorkSignals } from './shard/shard-session';
export type { ShardFlow } from './shard/shard-writer';
