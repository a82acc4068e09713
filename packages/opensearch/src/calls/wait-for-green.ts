import { createParser } from '@aosc/contract';
import type { IndexStatePort } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import type { AsksOf } from '../bind-calls';
import { requestJson } from '../client/request';
import { indexPath } from '../index-path';

const parse = createParser(
  'answer of _cluster/health',
  Type.Object({
    status: Type.Union([Type.Literal('green'), Type.Literal('yellow'), Type.Literal('red')]),
    active_shards: Type.Integer(),
    unassigned_shards: Type.Integer(),
  }),
);

/** When the wait runs out, the answer comes a little later. */
const graceMs = 10_000;

/**
 * `GET _cluster/health/{index}`. When the wait runs out, OpenSearch answers 408 with the health; so it does for a
 * missing index.
 */
export const waitForGreen: AsksOf<IndexStatePort['waitForGreen']> = async (
  client,
  index,
  timeoutMs,
  call,
) => {
  const path = `/_cluster/health/${indexPath(index)}`;
  const query = { wait_for_status: 'green', timeout: `${timeoutMs}ms` };
  const patient = { ...call, timeoutMs: Math.max(call.timeoutMs ?? 0, timeoutMs + graceMs) };
  const health = await requestJson(client, { method: 'GET', path, query }, parse, patient, [408]);
  return {
    status: health.status,
    activeShards: health.active_shards,
    unassignedShards: health.unassigned_shards,
  };
};
