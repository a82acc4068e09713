import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { createParser, NewerVersionError } from '@aosc/contract';

/**
 * Payloads. `v` grows when an older version of the service would do wrong work on the job. A job only says where there
 * may be work; the records say which work, so jobs have little reason to change.
 */
const jobVersion = 1;

const ShardJobSchema = Type.Object({
  v: Type.Literal(jobVersion),
  key: Type.String(),
  shard: Type.Integer({ minimum: 0 }),
});
export type ShardJobData = Static<typeof ShardJobSchema>;
/** @throws ShapeError when it is no shard job; NewerVersionError when a later version has created it */
export const parseShardJob = createJobParser('shard job', ShardJobSchema);

const MigrationJobSchema = Type.Object({ v: Type.Literal(jobVersion), key: Type.String() });
export type MigrationJobData = Static<typeof MigrationJobSchema>;
/** @throws ShapeError when it is no advance job; NewerVersionError when a later version has created it */
export const parseAdvanceJob = createJobParser('advance job', MigrationJobSchema);
/** As {@link parseAdvanceJob}. */
export const parseVerifyJob = createJobParser('verify job', MigrationJobSchema);

const parseKey = createParser('payload of a job', Type.Object({ key: Type.String() }));

/** @returns the key of the job's migration, in a job of any version; undefined when it has none */
export function findMigrationKey(payload: unknown): string | undefined {
  try {
    return parseKey(payload).key;
  } catch {
    return undefined;
  }
}

function createJobParser<S extends TSchema>(what: string, schema: S): (payload: unknown) => Static<S> {
  const parseVersion = createParser(`payload of a ${what}`, Type.Object({ v: Type.Integer() }));
  const parse = createParser(`payload of a ${what}`, schema);
  return (payload) => {
    const { v } = parseVersion(payload);
    if (v > jobVersion) throw new NewerVersionError(what, v, jobVersion);
    return parse(payload);
  };
}
