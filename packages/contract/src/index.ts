export { filesSchemaVersion, type MadeOfFiles } from './files-record';
export {
  type CancelAnswer,
  type CleanupLeasesAnswer,
  type ClearStateAnswer,
  type CutoverAnswer,
  type HealthAnswer,
  type ListAnswer,
  type ListItem,
  type ReadinessAnswer,
  type SettingsAnswer,
  type SettingsChangedAnswer,
  type SettingTree,
  type StartAnswer,
  type StartCheck,
} from './answers';
export { asObject, createBodyReader, fewHints, refuseAll } from './body-reader';
export { type CamelStatic, fromWire, toWire } from './case';
export {
  type CreateTargetAnswer,
  type CreateTargetRequest,
  CreateTargetRequestSchema,
  type DefinitionChange,
} from './create-target';
export {
  type CutoverAttempt,
  type CutoverOrder,
  type WriteHold,
  CutoverRequestSchema,
  CutoverStatusSchema,
  weekdays,
} from './cutover-options';
export { CredentialsFileSchema, type Grant, type Role, roles } from './credentials-file';
export { type FleetEvent, type FleetTotals, type MigrationSummary, MigrationSummarySchema } from './events';
export { AoscError, type ErrorCode, errorRegistry, toErrorBody, validationFailed } from './errors';
export {
  MigrationOptionsSchema,
  type MigrationOptionsWire,
  StartRequestSchema,
  type StartRequestWire,
  TransformScriptSchema,
} from './migration-options';
export { describeLostDecimal, findLostDecimal } from './lost-decimals';
export { didYouMean, nearestName } from './nearest-name';
export { isObject } from './is-object';
export { NewerVersionError } from './newer-version';
export { ownValue } from './own-value';
export { type PlanAnswer, type PlanCheck, PlanTrialSchema } from './plan';
export { type PlanCheckId, planCheckIds, planChecks } from './plan-checks';
export { type PreviewAnswer, type PreviewRequest, PreviewRequestSchema } from './preview';
export { type BulkLatency, type MigrationProgress, type ShardFlow, type ShardProgress } from './progress';
export { type IndexItem, type IndexList, type IndexNow, type MigrationIndices } from './indices';
export { byName, maybe } from './shapes';
export { quoteValue, shorten } from './shorten';
export { allowedMethods, findOperation, findPath } from './openapi/find-path';
export { listSizes } from './openapi/reads';
export {
  createOpenApiDocument,
  describeErrors,
  type OpenApiDocument,
  type ResponseObject,
} from './openapi/document';
export { type AuditedAction, errorsOfEveryRequest, type Operation } from './openapi/operation';
export { operations } from './openapi/operations';
export { type LogEvent, logEvents } from './log-events';
export { compileParsers, createParser, ShapeError } from './parse';
export {
  type MigrationPhase,
  migrationPhases,
  type RoutingMode,
  type ShardPhase,
  shardPhases,
} from './phases';
export {
  type ClaimRecord,
  ClaimRecordSchema,
  type Clearing,
  holdSchemaVersion,
  type InstallationRecord,
  InstallationRecordSchema,
  maxAliasesLeftBehind,
  maxMappingDrift,
  maxMappingMarks,
  type MigrationRecord,
  MigrationRecordSchema,
  postponedSchemaVersion,
  recordSchemaVersion,
  type Rehearsal,
  type SettingsRecord,
  SettingsRecordSchema,
  type StoredMigration,
  type Wait,
  verifySchemaVersion,
  type Waiting,
  type WriteBlock,
} from './records';
export { type ShardDetail, ShardDetailSchema } from './shard-detail';
export { type Counters, type ShardRecord, ShardRecordSchema, type Snapshot } from './shard-record';
export type { RedisAccess, RedisTls } from './redis-access';
export { type SessionAnswer, type SessionClaims, SessionClaimsSchema } from './session';
export {
  maxSetAsideByDefault,
  type RetryAnswer,
  type SetAside,
  type SetAsideAnswer,
  SetAsideAnswerSchema,
  type SetAsideDocument,
  SetAsideSchema,
  setAsideSchemaVersion,
} from './set-aside';
export { settingText } from './setting-values';
export { findSettingsConflicts } from './settings-conflicts';
export { type ResolvedOptions, resolveOptions } from './settings-options';
export { parseSetting } from './settings-parse';
export {
  type ControllerSettings,
  type ControllerType,
  resolveSettings,
  type Settings,
  type SettingTexts,
} from './settings-resolve';
export {
  isSettingKey,
  type SettingDefinition,
  type SettingKey,
  settingKeys,
  settingsTable,
} from './settings-table';
export {
  type TimelineAnswer,
  type TimelinePoints,
  TimelinePointsSchema,
  type TimelineRecord,
  TimelineRecordSchema,
} from './timeline';
export { serviceVersion } from './version';
export { ShardStatusSchema, type StatusDocument, StatusSchema } from './status-schema';
export {
  type Difference,
  type DifferenceCounts,
  type DifferenceKind,
  differenceKinds,
  type VerificationAnswer,
  VerificationAnswerSchema,
  type VerificationRecord,
  VerificationRecordSchema,
  type VerifiedRange,
  type VerifyRequest,
  VerifyRequestSchema,
} from './verification';
