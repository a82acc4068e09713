import { createHash } from 'node:crypto';
import {
  claimRecordId,
  migrationRecordId,
  shardRecordId,
  timelineRecordId,
  verificationRecordId,
} from '@aosc/domain';

/** 20 hexadecimal digits of a SHA-256: a migration id or an index name can be longer than a document id may be. */
function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 20);
}

/** The key from which the names of a migration's records, fences, tokens and jobs are built. */
export function migrationKey(migrationId: string): string {
  return digest(migrationId);
}

export type ClaimRole = 'source' | 'target';

/** Document ids in `.aosc-migrations`. */
export const documentIds = {
  migration: migrationRecordId,
  shard: shardRecordId,
  timeline: timelineRecordId,
  verification: verificationRecordId,
  claim: (role: ClaimRole, indexName: string) => claimRecordId(role, digest(indexName)),
  settings: 'settings',
  installation: 'installation',
} as const;
