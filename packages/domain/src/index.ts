export {
  type InstallationNames,
  installationRenewMs,
  type InstallationVerdict,
  evaluateInstallation,
} from './installation/evaluate-installation';
export {
  holdsWriters,
  isBlockAnnounced,
  isHeld,
  lastUnderBlock,
  putOff,
  restForPause,
  undoAttempt,
  type WithBlock,
  type WithHold,
  withHoldGivenBack,
} from './migration/cutover-attempts';
export { decideGate, isForcedNow, mayBePostponed } from './migration/cutover-gate';
export { type CutoverView, describeCutover } from './migration/cutover-status';
export { isTimeZone } from './migration/cutover-windows';
export { predictPauseMs } from './migration/predict-pause';
export { concludeRehearsal } from './migration/rehearsal';
export { roundsWaitMs } from './migration/rounds-wait';
export {
  IllegalTransitionError,
  mayMove,
  type MigrationIn,
  moveMigration,
  type NextPhase,
  type PhaseBefore,
} from './migration/transitions';
export {
  isAbortedPhase,
  isAbortingPhase,
  isBlockedPhase,
  isCaughtUp,
  isFailedShard,
  isReplayingPhase,
  isTerminalPhase,
  isTerminalShardPhase,
  waitsForWorkers,
} from './phases';
export { changeCounters, type CounterName, notedGap, withGap } from './shard/counters';
export { fairPriorities, type WaitingJob } from './shard/fair-order';
export {
  fieldsIndexedBy,
  type FieldTexts,
  findDrift,
  markDifferences,
  type MappingDrift,
  readFields,
} from './migration/mapping-drift';
export { describeEnd, readEndMessage, wasCleared } from './migration/end-message';
export { findRefusal, findWaiting, findWaitingReason, replaceWait, shownWaiting } from './migration/waiting';
export {
  countLostOwner,
  describeGivenUp,
  forgetLostOwners,
  isGivenUp,
  evaluateOwner,
  type OwnerObservation,
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
export { showShard, summarizeProgress } from './progress/migration-progress';
export {
  addTimelinePoint,
  gapOfShards,
  noTimelinePoints,
  peakOf,
  sampleTimeline,
  timelineIntervalMs,
  type TimelinePoint,
} from './progress/timeline';
export { missingRuns, nodeIdOf, type NodeRun, nodeRun, runsOf } from './shard/node-runs';
export {
  afterClosing,
  lateCloseMaxMs,
  lateIdsOf,
  pitIdsToClose,
  wasLateClosed,
  withSnapshotsGivenUp,
} from './shard/late-closes';
export {
  beginCatchUp,
  beginCopy,
  beginRound,
  bringBack,
  completeShard,
  endCatchUp,
  endCopy,
  endRound,
  endShard,
  failShard,
  holdSnapshot,
  isInDoubt,
  loseSnapshot,
  noteGap,
} from './shard/moves';
export { newShardRecord } from './shard/new-shard';
export { decideClaim, isQuiet, releaseWriter, revokeWriter, showsLife } from './shard/ownership';
export { isPermitGranted } from './shard/permits';
export { askForRepair, endRepair, takeRepair } from './shard/repair-ids';
export { isPastCopy, jobOfShardPhase, type ShardJobKind } from './shard/transitions';
export {
  blockAlias,
  claimRecordId,
  committedAlias,
  fenceAlias,
  fencePattern,
  fencePlaceholder,
  fencePrefix,
  isFilledByOther,
  isHiddenName,
  isOpaqueIdOf,
  isOwnName,
  scratchPrefix,
  isSetupAlias,
  isShardRecordId,
  leaseId,
  madeAlias,
  migrationRecordId,
  opaqueId,
  parseFenceAlias,
  parseOpaqueId,
  setupAlias,
  setupPattern,
  shardRecordId,
  timelineRecordId,
  verificationRecordId,
  tokenAlias,
  transformPipelineName,
  workOpaqueId,
} from './names';
export { wasRecreated } from './replication/conflict';
export {
  type Contested,
  type ContestState,
  isAtFinalSnapshot,
  isFinalSnapshot,
  evaluateContest,
  maxContestedIds,
  sharesPlaces,
  withContested,
} from './replication/contested-ids';
export { ProcessBulks } from './flow-control/process-bulks';
export { documentKeyString } from './replication/document-key';
export { type Digest, DocumentPrints, printBytes } from './replication/document-prints';
export type { Print } from './replication/print-table';
export { decideDelete } from './replication/decide-delete';
export {
  allInOneBucket,
  differingBuckets,
  histogramInterval,
  maxBuckets,
  type SeqNoHistogram,
} from './replication/histogram-interval';
export { multisetDifference } from './replication/multiset-difference';
export { decideMeeting, type MeetingDecision } from './replication/id-conflict';
export {
  alignRest,
  isCloseForBlock,
  isSnapshotOld,
  needsRound,
  type ReplayNeed,
  type ReplayPace,
  restOfConverged,
} from './replication/replay-pace';
export { allowsForOthers, findShortages, type Shortage } from './replication/shortages';
export { cutBuckets, groupBuckets, searchInterval } from './replication/search-plan';
export type { SeqNoWindow } from './replication/seq-no-window';
export { isSnapshotAtHome, type PrimaryPlace } from './replication/snapshot-home';
export { compareSnapshotIdentity } from './replication/snapshot-identity';
export type { TargetDocument } from './replication/target-document';
export { createWindowTracker } from './replication/watermark';
export { planWindows } from './replication/window-plan';
export { findRoutingIncompatibility, selectRoutingMode, targetShardsOf } from './routing/routing-mode';
export { documentsOnShards, type IndexRoutingShape, shardOf } from './routing/shard-of';
export { determinesTargetShard, evaluateKey, hasReplacement, mayMislead } from './routing/shown-key';
export { findForbiddenQuery, permittedQueries } from './query/permitted-query';
export {
  barePipeline,
  type PipelineDefinition,
  transformPipeline,
  transformRefusals,
  wrapperField,
} from './transform/pipeline';
export { findUnpredictable, mayRewriteIdentity, type TransformText } from './transform/script';
export { type BulkLimits, type BulkReport } from './flow-control/bulk-report';
export { type BulkController, createController } from './flow-control/controller';
export { type WriterSettings } from './flow-control/controller-transitions';
export { underWriteBlock } from './flow-control/under-write-block';
export { createPageSizer, type PageSizer } from './flow-control/page-sizer';
export { withDifferences } from './verification/findings';
export { isSameOperation, judgeAfterSwap, judgeDocument, type Judgement } from './verification/judge';
export { MatchTable, matchTableBytes } from './verification/match-table';
export { isInPart, type VerifyGroup, verifyGroups } from './verification/units';
export { certificateOf, newVerification } from './verification/certificate';
export {
  endVerification,
  nextPass,
  unprovenOperations,
  type VerificationFailure,
  withPart,
} from './verification/passes';
export { describeVerification, isVerifying } from './verification/describe-verification';
export { comparability, coveredSeqNo, isWholeCopy } from './verification/coverage';
export { describeRefused, groupRefused, reasonWithoutValues } from './set-aside/group-refused';
export {
  allSetAside,
  describeUnaccepted,
  digestedText,
  findTooMany,
  setsAside,
  summarizeSetAside,
} from './set-aside/summary';
