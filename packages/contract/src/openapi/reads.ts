import { Type } from '@sinclair/typebox';
import { count } from '../shapes';
import { ListAnswerSchema } from '../answers';
import { eventSchemas } from '../events';
import { IndexListSchema, MigrationIndicesSchema } from '../indices';
import { migrationPhases } from '../phases';
import { SetAsideAnswerSchema } from '../set-aside';
import { ShardDetailSchema } from '../shard-detail';
import { StatusSchema } from '../status-schema';
import { TimelineAnswerSchema } from '../timeline';
import { VerificationAnswerSchema } from '../verification';
import { ok, type Operation, operation, type Parameter } from './operation';
import { migrationId, sourceIndex } from './parameters';

/** Migrations in one answer of `_list`: unless asked otherwise, and at most (contract, section 8). */
export const listSizes = { default: 50, max: 500 } as const;

const root = '/_plugins/_aosc';
const etag = { ETag: 'Changes whenever the status does; weak.' };
const statusAnswers = {
  200: { description: 'The migration.', schema: StatusSchema, headers: etag },
  304: { description: 'Nothing has changed.', headers: etag },
};
const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of an earlier answer: 304 when nothing has changed since.',
  schema: Type.String(),
};
const shard: Parameter = {
  name: 'shard',
  in: 'path',
  description: 'Number of a shard of the source.',
  schema: count(),
};

const verification = ok('How far it is, and what it has found.', VerificationAnswerSchema);

/** A read of the running or the newest migration of a source. */
const bySource = (path: string, described: Parameters<typeof operation>[2]): Operation =>
  operation(
    'get',
    `${root}/{index}/${path}`,
    { ...described, parameters: [sourceIndex, ...(described.parameters ?? [])] },
    ['not_found'],
  );

/** A read of one migration, also when its source has newer ones. Beside the contract. */
const byId = (path: string, described: Parameters<typeof operation>[2]): Operation =>
  operation(
    'get',
    `${root}/_migrations/{migration_id}${path}`,
    { ...described, parameters: [migrationId, ...(described.parameters ?? [])] },
    ['not_found'],
  );

/** Reads of one migration, and of the indices that one may have. */
export const readsOfOne: readonly Operation[] = [
  bySource('_status', {
    operationId: 'aosc_get_migration_status',
    summary: 'Show the running or the newest migration of a source',
    parameters: [ifNoneMatch],
    answers: statusAnswers,
  }),
  bySource('_timeline', {
    operationId: 'aosc_get_timeline',
    summary: 'Show how a migration went, over time',
    description:
      'Of the running or the newest migration of a source: at most 2,000 moments, fewer of them the longer it takes. None at first.',
    answers: ok('The curve.', TimelineAnswerSchema),
  }),
  bySource('_verify', {
    operationId: 'aosc_get_verification',
    summary: 'Show the newest verification of a migration',
    description: 'Of the running or the newest migration of a source. Done, it is the certificate.',
    answers: verification,
  }),
  bySource('_set_aside', {
    operationId: 'aosc_get_set_aside',
    summary: 'Show the documents that the target refuses',
    description:
      'Of the running or the newest migration of a source that was started with options.on_document_error set_aside.',
    answers: ok('All of them, and their digest.', SetAsideAnswerSchema),
  }),
  bySource('_shards/{shard}', {
    operationId: 'aosc_get_shard',
    summary: 'Show who works on one shard, where, and what holds it back',
    description:
      'Of the running or the newest migration of a source. `_status` has the figures of all shards.',
    parameters: [shard],
    answers: ok('The shard.', ShardDetailSchema),
  }),
  byId('', {
    operationId: 'aosc_get_migration',
    summary: 'Show one migration, also when its source has newer ones',
    parameters: [ifNoneMatch],
    answers: statusAnswers,
  }),
  byId('/_timeline', {
    operationId: 'aosc_get_migration_timeline',
    summary: 'Show how one migration went, over time',
    answers: ok('The curve.', TimelineAnswerSchema),
  }),
  byId('/_verify', {
    operationId: 'aosc_get_migration_verification',
    summary: 'Show the newest verification of one migration',
    answers: verification,
  }),
  byId('/_shards/{shard}', {
    operationId: 'aosc_get_migration_shard',
    summary: 'Show who works, or has worked, on one shard of one migration',
    parameters: [shard],
    answers: ok('The shard.', ShardDetailSchema),
  }),
  byId('/_indices', {
    operationId: 'aosc_get_migration_indices',
    summary: 'Show what the cluster says now of the indices and the alias of a migration',
    answers: ok('What it says.', MigrationIndicesSchema),
  }),
  operation('get', `${root}/_indices`, {
    operationId: 'aosc_list_indices',
    summary: 'List the indices of the cluster that a migration may have as its source',
    description: 'Those that the credential may use, at most 500.',
    parameters: [
      {
        name: 'contains',
        in: 'query',
        description: 'A part of the name, or of the name of one of the aliases.',
        schema: Type.String(),
      },
    ],
    answers: ok('The indices.', IndexListSchema),
  }),
];

/** Reads of all migrations. */
export const readsOfAll: readonly Operation[] = [
  operation('get', `${root}/_list`, {
    operationId: 'aosc_list_migrations',
    summary: 'List migrations, newest first',
    parameters: [
      {
        name: 'status',
        in: 'query',
        description: `Phases, separated by commas, in any case: ${migrationPhases.join(', ')}. ACTIVE stands for every phase that has not ended; all, and nothing else, for no filter.`,
        schema: Type.String({ default: 'all', minLength: 1 }),
      },
      {
        name: 'size',
        in: 'query',
        description: `How many at most; more than ${listSizes.max} counts as ${listSizes.max}.`,
        schema: Type.Integer({ minimum: 1, default: listSizes.default }),
      },
    ],
    answers: ok('The migrations.', ListAnswerSchema),
  }),
  operation('get', `${root}/_events`, {
    operationId: 'aosc_stream_events',
    summary: 'Follow all migrations as they change',
    description:
      'Server-sent events. `x-events` has the schema of the JSON in `data`, by the name of the event. The stream shows the newest 500 migrations and all that run. It ends after some minutes: connect again with Last-Event-ID.',
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        description:
          'The id of the last `ready` that was seen: what has changed since follows, or `reset` and everything.',
        schema: Type.String(),
      },
    ],
    answers: {
      200: {
        description: 'The events.',
        schema: Type.String({ 'x-events': eventSchemas }),
        text: 'event-stream',
      },
    },
  }),
];
