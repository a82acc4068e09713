import { type Static, Type } from '@sinclair/typebox';
import { createParser } from '@aosc/contract';

/** Payloads. `v` grows when two versions of the service must tell old jobs from new ones. */
const ShardJobSchema = Type.Object({
  v: Type.Literal(1),
  key: Type.String(),
  shard: Type.Integer({ minimum: 0 }),
});
export type ShardJobData = Static<typeof ShardJobSchema>;
export const parseShardJob = createParser('payload of a shard job', ShardJobSchema);

const AdvanceJobSchema = Type.Object({ v: Type.Literal(1), key: Type.String() });
export type AdvanceJobData = Static<typeof AdvanceJobSchema>;
export const parseAdvanceJob = createParser('payload of an advance job', AdvanceJobSchema);
