import { recordSchemaVersion, type ShardRecord } from '@aosc/contract';

/** The record of a shard before its first owner. -1 stands for "no seq_no yet" (contract details, section 5). */
export function newShardRecord(key: string, shard: number, nowMillis: number): ShardRecord {
  return {
    kind: 'shard',
    schemaVersion: recordSchemaVersion,
    key,
    shard,
    phase: 'PENDING',
    lastReplayedSeqNo: -1,
    targetSeqNo: -1,
    backfillCutoffSeqNo: -1,
    transitionHistory: [{ phase: 'PENDING', startTimeMillis: nowMillis }],
    writer: { epoch: 1, fenceReady: true, heartbeatAtMillis: 0 },
    closingPitIds: [],
    sweepPending: false,
    snapshotsLost: 0,
  };
}
