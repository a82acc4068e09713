import type { Schemas } from './generated/types.ts';

export type { ById, IndicesOptions } from './by-id.ts';
export { type AoscClient, createAoscClient } from './client.ts';
export {
  type ClusterRequest,
  describeAlias,
  describeIndex,
  strayWrites,
  type Task,
  tasksAfter,
} from './cluster-now.ts';
export type { Credentials } from './credentials.ts';
export {
  AnswerError,
  ApiError,
  type AskedFor,
  ClientError,
  ConnectionError,
  MigrationEndedError,
  MigrationReplacedError,
  WaitTimeoutError,
} from './errors.ts';
export type { EventsOptions, FleetEvent } from './events.ts';
export type {
  CleanupOptions,
  ClearOptions,
  CreateTargetOptions,
  ListOptions,
  SettingsOptions,
} from './request-options.ts';
export { describePhase, describeRehearsal } from './rehearsal.ts';
export { flagsOf, withoutFlag } from './option-flags.ts';
export type { CallOptions, ClientOptions, Fetch, FetchInit, FetchResponse, RetryOptions } from './options.ts';
export {
  isTerminal,
  type MigrationPhase,
  poll,
  type PollOptions,
  terminalPhases,
  type WaitOptions,
  type Wanted,
  type WatchOptions,
} from './watch.ts';

export type CancelAnswer = Schemas['CancelAnswer'];
export type CutoverAnswer = Schemas['CutoverAnswer'];
export type CutoverRequest = Schemas['CutoverRequest'];
export type CutoverWindow = Schemas['CutoverWindow'];
export type CreateTargetRequest = Schemas['CreateTargetRequest'];
export type IndexList = Schemas['IndexList'];
export type LeaseCleanup = Schemas['LeaseCleanup'];
export type ListAnswer = Schemas['ListAnswer'];
export type ListItem = Schemas['ListItem'];
export type MigrationIndices = Schemas['MigrationIndices'];
export type MigrationOptions = Schemas['MigrationOptions'];
export type MigrationStatus = Schemas['MigrationStatus'];
export type Plan = Schemas['Plan'];
export type PlanRequest = Schemas['PlanRequest'];
export type PreviewRequest = Schemas['PreviewRequest'];
export type Readiness = Schemas['Readiness'];
export type Settings = Schemas['Settings'];
export type SettingsRequest = Schemas['SettingsRequest'];
export type ShardDetail = Schemas['ShardDetail'];
export type ShardPhase = Schemas['ShardPhase'];
export type ShardStatus = Schemas['ShardStatus'];
export type StartAnswer = Schemas['StartAnswer'];
export type StartCheck = Schemas['StartCheck'];
export type StartRequest = Schemas['StartRequest'];
export type StateClearing = Schemas['StateClearing'];
export type TargetCreation = Schemas['TargetCreation'];
export type Timeline = Schemas['Timeline'];
export type TransformPreview = Schemas['TransformPreview'];
export type Verification = Schemas['Verification'];
export type SetAside = Schemas['SetAside'];
