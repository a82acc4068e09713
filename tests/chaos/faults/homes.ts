import { createParser } from '@aosc/contract';
import type { Server } from '@aosc/local-stack';
import { Type } from '@sinclair/typebox';
import { parseShards } from '../../support/allocation';
import type { Victim } from '../fault';

const parseManager = createParser(
  'answer of _cat/cluster_manager',
  Type.Array(Type.Object({ node: Type.String() })),
);

/** Name of the node with the started primary of shard 0, and of those without a copy of it. */
export async function homeOf({ arena }: Victim, index: string) {
  const path = `/_cat/shards/${index}?format=json&h=shard,prirep,state,node`;
  const copies = parseShards(await arena.ask('GET', path)).filter(({ shard }) => shard === '0');
  const primary = copies.find(({ prirep, state }) => prirep === 'p' && state === 'STARTED')?.node;
  const names = arena.environment.stack.nodes.map(({ name }) => name);
  const free = names.filter((name) => !copies.some(({ node }) => node?.split(' ')[0] === name));
  return { primary: primary ?? undefined, free };
}

export async function nodeOf(victim: Victim, index: string): Promise<Server> {
  return victim.arena.node((await homeOf(victim, index)).primary);
}

export async function managerOf(victim: Victim): Promise<Server> {
  return victim.arena.node(await nameOfManager(victim));
}

/** @returns none, or a dash, while there is no manager */
export async function nameOfManager({ arena }: Victim): Promise<string | undefined> {
  const [manager] = parseManager(await arena.ask('GET', '/_cat/cluster_manager?format=json&h=node'));
  return manager?.node;
}
