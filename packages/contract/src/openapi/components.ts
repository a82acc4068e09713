import { ownValue } from '../own-value';
import type { TSchema } from '@sinclair/typebox';
import {
  CancelAnswerSchema,
  CutoverAnswerSchema,
  CleanupLeasesAnswerSchema,
  ClearStateAnswerSchema,
  ListAnswerSchema,
  ListItemSchema,
  ReadinessAnswerSchema,
  SettingsScopeSchema,
  SettingTreeSchema,
  StartAnswerSchema,
  StartCheckSchema,
} from '../answers';
import { CreateTargetAnswerSchema, DefinitionChangeSchema } from '../create-target';
import {
  CutoverAttemptSchema,
  CutoverRequestSchema,
  CutoverStatusSchema,
  CutoverWindowSchema,
} from '../cutover-options';
import { ErrorBodySchema } from '../errors';
import { MigrationOptionsSchema, ResolvedOptionsSchema, TransformScriptSchema } from '../migration-options';
import { IndexItemSchema, IndexListSchema, IndexNowSchema, MigrationIndicesSchema } from '../indices';
import { MigrationPhaseSchema, RoutingModeSchema, ShardPhaseSchema } from '../phases';
import { CutoverContextSchema } from '../records';
import { MigrationProgressSchema } from '../progress';
import { ShardDetailSchema } from '../shard-detail';
import { CountersSchema } from '../shard-record';
import { ShardStatusSchema, StatusSchema } from '../status-schema';
import { PlanAnswerSchema } from '../plan';
import { SettingsRequestSchema } from './settings-request';

/** Schemas with a name: where they occur in others, the document refers to them. */
const named: Readonly<Record<string, TSchema>> = {
  ErrorBody: ErrorBodySchema,
  MigrationPhase: MigrationPhaseSchema,
  ShardPhase: ShardPhaseSchema,
  RoutingMode: RoutingModeSchema,
  Counters: CountersSchema,
  CutoverContext: CutoverContextSchema,
  CutoverAttempt: CutoverAttemptSchema,
  CutoverStatus: CutoverStatusSchema,
  CutoverWindow: CutoverWindowSchema,
  MigrationOptions: MigrationOptionsSchema,
  ResolvedOptions: ResolvedOptionsSchema,
  IndexItem: IndexItemSchema,
  IndexList: IndexListSchema,
  IndexNow: IndexNowSchema,
  MigrationIndices: MigrationIndicesSchema,
  MigrationProgress: MigrationProgressSchema,
  TransformScript: TransformScriptSchema,
  ShardDetail: ShardDetailSchema,
  ShardStatus: ShardStatusSchema,
  MigrationStatus: StatusSchema,
  StartAnswer: StartAnswerSchema,
  StartCheck: StartCheckSchema,
  Plan: PlanAnswerSchema,
  DefinitionChange: DefinitionChangeSchema,
  TargetCreation: CreateTargetAnswerSchema,
  CancelAnswer: CancelAnswerSchema,
  CutoverRequest: CutoverRequestSchema,
  CutoverAnswer: CutoverAnswerSchema,
  ListItem: ListItemSchema,
  ListAnswer: ListAnswerSchema,
  SettingTree: SettingTreeSchema,
  SettingsScope: SettingsScopeSchema,
  SettingsRequest: SettingsRequestSchema,
  Readiness: ReadinessAnswerSchema,
  LeaseCleanup: CleanupLeasesAnswerSchema,
  StateClearing: ClearStateAnswerSchema,
};

const nameOfText = new Map(Object.entries(named).map(([name, schema]) => [JSON.stringify(schema), name]));

/** A schema as plain JSON, with references to the named ones in it. */
export function toDocumentSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toDocumentSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = nameOfText.get(JSON.stringify(schema));
  return name === undefined ? inside(schema) : { $ref: `#/components/schemas/${name}` };
}

function inside(schema: object): object {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, toDocumentSchema(value)]));
}

/** The named schemas that `used` refers to, and those these refer to. */
export function collectComponents(used: unknown): Record<string, object> {
  const found = new Map<string, object>();
  const waiting = referencesIn(used);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = ownValue(named, name);
    if (schema === undefined || found.has(name)) continue;
    const component = inside(schema);
    found.set(name, component);
    waiting.push(...referencesIn(component));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function referencesIn(value: unknown): string[] {
  const text = JSON.stringify(value);
  return [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].flatMap(([, name]) => name ?? []);
}
