export {
  installationLeaseMs,
  type InstallationNames,
  installationRenewMs,
  type InstallationSide,
  type InstallationSight,
  type InstallationVerdict,
  judgeInstallation,
} from './installation/judge-installation';
export { roundsWaitMs } from './migration/rounds-wait';
export {
  IllegalTransitionError,
  isBlockingPhase,
  isReplayingPhase,
  isTerminalPhase,
  migrationTransitions,
  moveMigration,
} from './migration/transitions';
export { fairPriorities, type WaitingJob } from './shard/fair-order';
export { findWaitingReason, shownWaiting } from './migration/waiting';
export {
  countLostOwner,
  describeGivenUp,
  forgetLostOwners,
  isGivenUp,
  judgeOwner,
  type LivenessLimits,
  type OwnerSight,
  type OwnerVerdict,
  progressMark,
} from './shard/liveness';
export {
  advanceRate,
  type CopyRate,
  type MovingRate,
  readRate,
  secondsLeft,
  startRate,
} from './progress/copy-rate';
export { summarizeProgress } from './progress/migration-progress';
export { missingRuns, nodeIdOf, type NodeRun, nodeRun } from './shard/node-runs';
export { newShardRecord } from './shard/new-shard';
export {
  type ClaimDecision,
  decideClaim,
  isQuiet,
  releaseWriter,
  revokeWriter,
  showsLife,
} from './shard/ownership';
export { isPermitGranted, type PermitView } from './shard/permits';
export {
  isCaughtUp,
  isTerminalShardPhase,
  jobOfShardPhase,
  moveShard,
  type ShardJobKind,
  shardTransitions,
} from './shard/transitions';
export {
  claimRecordId,
  blockAlias,
  committedAlias,
  fenceAlias,
  fencePattern,
  fencePrefix,
  isHiddenName,
  isOpaqueIdOf,
  isOwnName,
  leaseId,
  migrationRecordId,
  opaqueId,
  parseFenceAlias,
  parseOpaqueId,
  setupAlias,
  shardRecordId,
  tokenAlias,
  transformPipelineName,
  type WriterName,
} from './names';
export { type ConflictDecision, decideConflict } from './replication/conflict';
export {
  type Contested,
  type ContestState,
  isAtFinalSnapshot,
  isFinalSnapshot,
  judgeContest,
  maxContestedIds,
  sharesPlaces,
  withContested,
} from './replication/contested-ids';
export { documentKeyString } from './replication/document-key';
export { decideDelete, type DeleteDecision } from './replication/decide-delete';
export {
  expectedDeletes,
  InconsistentSnapshotsError,
  type SnapshotCounts,
} from './replication/expected-deletes';
export {
  differingBuckets,
  histogramInterval,
  type SeqNoHistogram,
  widenHistogram,
} from './replication/histogram-interval';
export {
  type ListedDocument,
  type MultisetDifference,
  multisetDifference,
} from './replication/multiset-difference';
export { decideMeeting, type LivePair, type MeetingDecision } from './replication/meeting';
export { findShortages, type Shortage } from './replication/shortages';
export { groupBuckets, searchInterval } from './replication/search-plan';
export type { SeqNoWindow } from './replication/seq-no-window';
export { isSnapshotAtHome, type PrimaryPlace } from './replication/snapshot-home';
export {
  compareSnapshotIdentity,
  type SnapshotIdentity,
  type SnapshotRelation,
} from './replication/snapshot-identity';
export type { SeenTargetDocument } from './replication/target-document';
export {
  createWindowTracker,
  type NextWindow,
  type Watermark,
  type WindowTracker,
} from './replication/watermark';
export { planWindows, type WindowPlanRequest } from './replication/window-plan';
export {
  findRoutingIncompatibility,
  type RoutingIncompatibility,
  selectRoutingMode,
  targetShardsOf,
} from './routing/routing-mode';
export { documentOnShard, type IndexRoutingShape, shardOf } from './routing/shard-of';
export { findForbiddenQuery, permittedQueries } from './query/permitted-query';
export {
  type PipelineDefinition,
  transformPipeline,
  transformRefusals,
  wrapperField,
} from './transform/pipeline';
export { findUnpredictable, mayRewriteIdentity, type TransformText } from './transform/script';
export {
  type BulkDecision,
  type BulkLimits,
  type BulkReport,
  type ReadReport,
} from './flow-control/bulk-report';
export { type BulkController, createController } from './flow-control/controller';
export { type WriterSettings } from './flow-control/controller-state';
export { underWriteBlock } from './flow-control/under-write-block';
export { createPageSizer, type PageSizer, type PageSizerOptions } from './flow-control/page-sizer';
