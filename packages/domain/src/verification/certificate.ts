import {
  type MigrationRecord,
  recordSchemaVersion,
  toWire,
  type VerificationAnswer,
  VerificationAnswerSchema,
  type VerificationRecord,
} from '@aosc/contract';
import type { DocumentsHome } from '../routing/routing-mode';
import { noFindings } from './findings';
import { verifyGroups } from './units';

/** How far a verification is, and what it has found: at its end the certificate. */
export function certificateOf(
  migration: DocumentsHome & Pick<MigrationRecord, 'migrationId' | 'sourceIndex' | 'targetIndex'>,
  record: VerificationRecord,
): VerificationAnswer {
  const { migrationId, sourceIndex, targetIndex } = migration;
  const {
    kind: _kind,
    schemaVersion: _version,
    key: _key,
    phase,
    position,
    counts,
    samples,
    behind: _behind,
    ...rest
  } = record;
  return toWire(VerificationAnswerSchema, {
    migrationId,
    sourceIndex,
    targetIndex,
    ...rest,
    state: phase,
    progress: {
      groups: verifyGroups(migration).length,
      groupsDone: position.group,
      part: position.part,
      ...(position.parts !== undefined && { parts: position.parts }),
    },
    differences: { counts, samples },
  });
}

/** `who` asks for it; undefined: the service itself, or an API without credentials. */
export function newVerification(
  key: string,
  nowMillis: number,
  { who, repair = false }: { readonly who?: string | undefined; readonly repair?: boolean | undefined } = {},
): VerificationRecord {
  return {
    kind: 'verification',
    schemaVersion: recordSchemaVersion,
    key,
    phase: 'running',
    ...(who !== undefined && { requestedBy: who }),
    startedAtMillis: nowMillis,
    passes: 1,
    ...(repair && { repaired: 0 }),
    documentsCompared: 0,
    unsettled: 0,
    position: { group: 0, part: 0 },
    ...noFindings,
    ranges: [],
  };
}
