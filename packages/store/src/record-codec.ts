import {
  type CamelStatic,
  ClaimRecordSchema,
  createParser,
  filesSchemaVersion,
  fromWire,
  holdSchemaVersion,
  InstallationRecordSchema,
  type MigrationRecord,
  MigrationRecordSchema,
  NewerVersionError,
  postponedSchemaVersion,
  recordSchemaVersion,
  setAsideSchemaVersion,
  SettingsRecordSchema,
  ShardRecordSchema,
  TimelineRecordSchema,
  toWire,
  VerificationRecordSchema,
  verifySchemaVersion,
} from '@aosc/contract';
import { holdsWriters, mayBePostponed, setsAside } from '@aosc/domain';
import type { Stored } from '@aosc/engine';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { Position, StoredDocument } from './document-index';
import { migrationFromStored, migrationToStored } from './migration-form';

/** Reads and writes one kind of record of `.aosc-migrations`. */
export interface RecordCodec<R> {
  /** @throws ShapeError when the document is not such a record; NewerVersionError when a later version wrote it */
  read(document: StoredDocument): Stored<R>;
  /** `schema_version` becomes the version that a reader needs for this record, whatever version wrote it before. */
  write(record: R): object;
}

const parseVersion = createParser('record', Type.Object({ schema_version: Type.Integer() }));

function createCodec<S extends TSchema>(
  what: string,
  schema: S,
  newest: number = recordSchemaVersion,
): RecordCodec<CamelStatic<S>> {
  const parse = createParser(what, schema);
  return {
    read({ record, seqNo, primaryTerm }) {
      const { schema_version: version } = parseVersion(record);
      if (version > newest) throw new NewerVersionError(what, version, newest);
      return { record: fromWire(schema, parse(record)), seqNo, primaryTerm };
    },
    write: (record) => ({
      ...(toWire(schema, record) as Static<S> & object),
      schema_version: recordSchemaVersion,
    }),
  };
}

const storedMigrationCodec = createCodec('migration record', MigrationRecordSchema, setAsideSchemaVersion);
export const migrationCodec: RecordCodec<MigrationRecord> = {
  read(document) {
    const { record, ...position } = storedMigrationCodec.read(document);
    return at(migrationFromStored(record), position);
  },
  write: (record) => ({
    ...storedMigrationCodec.write(migrationToStored(record)),
    schema_version: versionOf(record),
  }),
};

function versionOf(record: MigrationRecord): number {
  if (setsAside(record)) return setAsideSchemaVersion;
  if (record.options.verify === 'content') return verifySchemaVersion;
  if (holdsWriters(record)) return holdSchemaVersion;
  if (record.files !== undefined) return filesSchemaVersion;
  return mayBePostponed(record) ? postponedSchemaVersion : recordSchemaVersion;
}

const RunningMigrationSchema = Type.Pick(MigrationRecordSchema, [
  'schema_version',
  'key',
  'source_index',
  'source_shard_count',
]);
/** The fields of a migration's record that never change, so they are right even if a search finds an older record. */
export type RunningMigration = CamelStatic<typeof RunningMigrationSchema>;
/** Only reads: the service never writes a part of a record. */
export const runningCodec: Pick<RecordCodec<RunningMigration>, 'read'> = createCodec(
  'migration record',
  RunningMigrationSchema,
  setAsideSchemaVersion,
);
export const runningFields: readonly string[] = Object.keys(RunningMigrationSchema.properties);

export const shardCodec = createCodec('shard record', ShardRecordSchema);
export const timelineCodec = createCodec('timeline record', TimelineRecordSchema);
export const verificationCodec = createCodec('verification record', VerificationRecordSchema);
export const claimCodec = createCodec('claim record', ClaimRecordSchema);
export const settingsCodec = createCodec('settings record', SettingsRecordSchema);
export const installationCodec = createCodec('installation record', InstallationRecordSchema);

/**
 * Stands in place of the migration record of an abandoned start. The start that takes over its claims creates this
 * document first, so that a late write of the abandoned start can't create the record.
 */
const AbandonedRecordSchema = Type.Object({
  kind: Type.Literal('abandoned'),
  schema_version: Type.Integer(),
  key: Type.String(),
  migration_id: Type.String(),
});
export const abandonedCodec = createCodec('abandoned record', AbandonedRecordSchema);

const parseKind = createParser('record', Type.Object({ kind: Type.String() }));

/** @returns the kind of any record, read before its own codec is chosen */
export function kindOf(document: StoredDocument): string {
  return parseKind(document.record).kind;
}

/** The record with the position that its write has returned. */
export function at<R>(record: R, position: Position): Stored<R> {
  return { record, seqNo: position.seqNo, primaryTerm: position.primaryTerm };
}
