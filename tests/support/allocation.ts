import { createParser } from '@aosc/contract';
import { callJson, type HttpClient } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { until } from './environment';

export const parseShards = createParser(
  'answer of _cat/shards',
  Type.Array(
    Type.Object({
      shard: Type.String(),
      prirep: Type.String(),
      state: Type.String(),
      node: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
);
const parseHealth = createParser('answer of _cluster/health', Type.Object({ status: Type.String() }));
const parseReroute = createParser(
  'answer of _cluster/reroute',
  Type.Object({ acknowledged: Type.Boolean() }),
);

/** One copy of a shard, as `_cat/shards` shows it. */
export interface Copy {
  readonly shard: number;
  readonly primary: boolean;
  readonly state: string;
  /** name of its node; undefined while it has none, and while it moves */
  readonly node: string | undefined;
}

export async function readCopies(http: HttpClient, index: string): Promise<readonly Copy[]> {
  const path = `/_cat/shards/${encodeURIComponent(index)}?format=json&h=shard,prirep,state,node`;
  const rows = await callJson(http, parseShards, 'GET', path);
  return rows.map(({ shard, prirep, state, node }) => ({
    shard: Number(shard),
    primary: prirep === 'p',
    state,
    node: state === 'STARTED' ? (node ?? undefined) : undefined,
  }));
}

/** Name of the node with the started primary of a shard. @returns undefined while there is none */
export async function homeOfPrimary(
  http: HttpClient,
  index: string,
  shard: number,
): Promise<string | undefined> {
  const copies = await readCopies(http, index);
  return copies.find((copy) => copy.primary && copy.shard === shard)?.node;
}

/** Waits until all copies of all these indices are there, and stay where they are. Nothing is rerouted for it. */
export function untilGreen(http: HttpClient, ...indices: readonly string[]): Promise<void> {
  return until(`green: ${indices.join(', ')}`, async () => {
    const path = `/_cluster/health/${indices.map(encodeURIComponent).join(',')}?timeout=0s`;
    if ((await callJson(http, parseHealth, 'GET', path)).status !== 'green') return false;
    const copies = await Promise.all(indices.map((index) => readCopies(http, index)));
    return copies.flat().every(({ state }) => state === 'STARTED');
  });
}

type Command =
  | { readonly move: { index: string; shard: number; from_node: string; to_node: string } }
  /** fails a copy where it is: a replica takes over, or the copy is allocated again from its own store */
  | { readonly cancel: { index: string; shard: number; node: string; allow_primary: true } };

export async function reroute(http: HttpClient, command: Command): Promise<void> {
  await callJson(http, parseReroute, 'POST', '/_cluster/reroute?metric=none', { commands: [command] });
}

/** Fails a primary as after an I/O error; it may come back to its node at once. */
export async function failPrimary(http: HttpClient, index: string, shard: number): Promise<void> {
  const node = await homeOfPrimary(http, index, shard);
  if (node === undefined) throw new Error(`shard ${shard} of ${index} has no primary`);
  await reroute(http, { cancel: { index, shard, node, allow_primary: true } });
}
