export { type Call } from './ports/call';
export { type Clock } from './ports/clock';
export {
  ClusterError,
  type ClusterErrorKind,
  ignoreClusterErrors,
  instead,
  isClusterError,
  isIndexMissing,
  isNodeRefused,
} from './ports/cluster-error';
export { type RepeatPolicy, repeatTransient } from './ports/repeat-transient';
export { compareAndSet, unlessConflict } from './ports/compare-and-set';
export type { DocumentHead, DocumentKey, RawDocument, WholeDocument } from './ports/documents';
export { aliasesLeftBehind } from './ports/index-state-port';
export type {
  IndexDescription,
  IndexRouting,
  IndexStatePort,
  LaggingCopy,
  PrimaryCheckpoint,
  PrimaryRouting,
  ShardCopy,
} from './ports/index-state-port';
export type { DocumentPage, Page, PageRequest, Selection, SnapshotPort } from './ports/snapshot-port';
export type { AliasAction, AliasPort, AliasProperties, IndexAliasPort } from './ports/alias-port';
export type { TaskPort, WriteTasks } from './ports/task-port';
export type {
  BulkItem,
  BulkOutcome,
  BulkTransform,
  ItemFailure,
  ItemFailureKind,
  WritePort,
} from './ports/write-port';
export type { FilesPort } from './ports/files-port';
export type { ClusterPort, ClusterView, StatePosition } from './ports/cluster-port';
export type { ClusterPorts, IndexPorts } from './ports/index-ports';
export type { SettingsPort, WriteBlockState } from './ports/settings-port';
export type { TransformPort, TransformRequest, TransformResult } from './ports/transform-port';
export type { RefusedStorePort, Stored, StorePort, VerificationStorePort } from './ports/store-port';
export type { JobsPort, ShardPlace } from './ports/jobs-port';
export type { Permit } from './ports/permit-port';
export type { LogFields, LogPort } from './ports/log-port';
export { advanceMigration, type AdvanceOptions, type AdvanceResult } from './migration/runner/coordinator';
export { type ClearContext, clearMigration } from './migration/runner/clear';
export type { ClaimsPort, CoordinatorContext, CoordinatorTiming } from './migration/step/context';
export { BlockWatch, holdsBlock, stopsWrites } from './migration/step/block-watch';
export { isUrgent } from './migration/step/urgency';
export { liftWithoutRecord, type UnwrittenLift } from './migration/write-block/lift-without-record';
export { findIndexBlocks } from './migration/cutover/index-blocks';
export { describeSetAside } from './migration/cutover/set-aside-gate';
export { findUnfitFilter } from './migration/cutover/swap-needs';
export { ShardWatch } from './migration/step/shard-watch';
export { countFresh } from './cluster/primaries';
export { coalesceCall, coalesceIndexCalls } from './cluster/coalesced-calls';
export type {
  JobResult,
  Pacing,
  ShardContext,
  ShardMetrics,
  ShardPacing,
  ShardTiming,
} from './shard/context';
export { PrintMemory } from './shard/print-memory';
export { NodeWatch } from './cluster/node-watch';
export { runShardJob } from './shard/jobs/run-shard-job';
export type { WorkSignals } from './shard/session/owned-record';
export { runVerification } from './verify/run-verification';
