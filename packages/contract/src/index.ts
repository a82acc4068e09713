export {
  type CancelAnswer,
  CancelAnswerSchema,
  type CleanupLeasesAnswer,
  CleanupLeasesAnswerSchema,
  type ClearStateAnswer,
  ClearStateAnswerSchema,
  type HealthAnswer,
  type ListAnswer,
  type ListItem,
  ListItemSchema,
  type ReadinessAnswer,
  type SettingsAnswer,
  type SettingsChangedAnswer,
  type SettingTree,
  type StartAnswer,
} from './answers';
export { type Camel, type CamelStatic, fromWire, toWire } from './case';
export { CredentialsFileSchema, type Grant, grants, type Role, roles } from './credentials-file';
export {
  AoscError,
  type ErrorBody,
  ErrorBodySchema,
  type ErrorCode,
  errorRegistry,
  toErrorBody,
} from './errors';
export {
  MigrationOptionsSchema,
  type MigrationOptionsWire,
  ResolvedOptionsSchema,
  StartRequestSchema,
  type StartRequestWire,
  TransformScriptSchema,
} from './migration-options';
export { nearestName } from './nearest-name';
export { ownValue } from './own-value';
export {
  type MigrationProgress,
  type ShardFlow,
  type ShardProgress,
  ShardFlowSchema,
  ShardProgressSchema,
} from './progress';
export { quoteValue, shorten } from './shorten';
export { allowedMethods, findPath } from './openapi/find-path';
export { listSizes } from './openapi/list-migrations';
export {
  createOpenApiDocument,
  describeErrors,
  type OpenApiDocument,
  type ResponseObject,
} from './openapi/document';
export { errorsOfEveryRequest, type Operation } from './openapi/operation';
export { operations } from './openapi/operations';
export { createParser, ShapeError } from './parse';
export {
  type CounterStatus,
  type MigrationPhase,
  migrationPhases,
  type RoutingMode,
  routingModes,
  type ShardPhase,
  shardPhases,
} from './phases';
export {
  type ClaimRecord,
  ClaimRecordSchema,
  type Counters,
  CountersSchema,
  type InstallationRecord,
  InstallationRecordSchema,
  type MigrationRecord,
  MigrationRecordSchema,
  recordSchemaVersion,
  type SettingsRecord,
  SettingsRecordSchema,
  type ShardRecord,
  ShardRecordSchema,
  type Snapshot,
  SnapshotSchema,
  CutoverContextSchema,
  type WaitingReason,
} from './records';
export { type IndexSettings, settingText } from './setting-values';
export { findSettingsConflicts, type SettingsConflict } from './settings-conflicts';
export { type ResolvedOptions, resolveOptions } from './settings-options';
export { parseSetting, type SettingValueOf } from './settings-parse';
export {
  type ControllerSettings,
  type ControllerType,
  type ReplayControllerType,
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
export { ShardStatusSchema, type StatusDocument, StatusSchema } from './status-schema';
