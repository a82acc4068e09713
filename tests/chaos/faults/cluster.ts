import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from '@aosc/contract';
import type { Server } from '@aosc/local-stack';
import { Type } from '@sinclair/typebox';
import { parseShards } from '../../support/allocation';
import type { Fault, Victim } from '../fault';

const parseManager = createParser(
  'answer of _cat/cluster_manager',
  Type.Array(Type.Object({ node: Type.String() })),
);

/** Name of the node with the started primary of shard 0, and of those without a copy of it. */
async function homeOf({ arena }: Victim, index: string) {
  const path = `/_cat/shards/${index}?format=json&h=shard,prirep,state,node`;
  const copies = parseShards(await arena.ask('GET', path)).filter(({ shard }) => shard === '0');
  const primary = copies.find(({ prirep, state }) => prirep === 'p' && state === 'STARTED')?.node;
  const names = arena.environment.stack.nodes.map(({ name }) => name);
  const free = names.filter((name) => !copies.some(({ node }) => node?.split(' ')[0] === name));
  return { primary: primary ?? undefined, free };
}

async function nodeOf(victim: Victim, index: string): Promise<Server> {
  return victim.arena.node((await homeOf(victim, index)).primary);
}

async function managerOf({ arena }: Victim): Promise<Server> {
  const [manager] = parseManager(await arena.ask('GET', '/_cat/cluster_manager?format=json&h=node'));
  return arena.node(manager?.node);
}

/** Dead until somebody else has taken over, and then back. */
async function killForAWhile(victim: Victim, node: Server): Promise<void> {
  await node.kill();
  await sleep(2000 + victim.random.below(4000));
  await node.restart();
}

async function move(victim: Victim, index: string): Promise<void> {
  const { arena } = victim;
  const { primary, free } = await homeOf(victim, index);
  const [to] = free;
  // Replicas on both other nodes: there is nowhere to go.
  if (primary === undefined || to === undefined) return;
  const command = { move: { index, shard: 0, from_node: primary, to_node: to } };
  await arena.ask('POST', '/_cluster/reroute?metric=none', { commands: [command] });
}

export const clusterFaults: readonly Fault[] = [
  {
    name: 'node_kill',
    what: 'kill -9 of the node with a primary of the source; a replica takes over, the node comes back',
    demand: 'exact',
    disturbsWriters: true,
    strike: async (victim) => killForAWhile(victim, await nodeOf(victim, victim.source)),
  },
  {
    name: 'target_node_kill',
    what: 'kill -9 of the node with a primary of the target, which may have no replica while it is filled',
    demand: 'exact_or_safe',
    disturbsWriters: true,
    strike: async (victim) => killForAWhile(victim, await nodeOf(victim, victim.target)),
  },
  {
    name: 'node_restart',
    what: 'restart of the node with a primary of the source, with SIGTERM',
    demand: 'exact',
    disturbsWriters: true,
    strike: async (victim) => (await nodeOf(victim, victim.source)).restart(),
  },
  {
    name: 'manager_kill',
    what: 'kill -9 of the elected cluster manager; it comes back',
    demand: 'exact_or_safe',
    disturbsWriters: true,
    strike: async (victim) => killForAWhile(victim, await managerOf(victim)),
  },
  {
    name: 'manager_change',
    what: 'another cluster manager is elected (voting exclusion)',
    demand: 'exact',
    async strike(victim) {
      const { name } = await managerOf(victim);
      await victim.arena.ask('POST', `/_cluster/voting_config_exclusions?node_names=${name}`);
      await victim.arena.ask('DELETE', '/_cluster/voting_config_exclusions?wait_for_removal=false');
    },
  },
  {
    name: 'full_restart',
    what: 'kill -9 of all nodes at once, then all come back',
    demand: 'exact_or_safe',
    disturbsWriters: true,
    async strike({ arena }) {
      const { nodes } = arena.environment.stack;
      await Promise.all(nodes.map((node) => node.kill()));
      await Promise.all(nodes.map((node) => node.restart()));
    },
  },
  {
    name: 'source_moves',
    what: 'a primary of the source moves to another node',
    demand: 'exact',
    strike: (victim) => move(victim, victim.source),
  },
  {
    name: 'target_moves',
    what: 'a primary of the target moves to another node',
    demand: 'exact',
    strike: (victim) => move(victim, victim.target),
  },
  {
    name: 'flood_stage',
    what: 'the disk is above the flood stage for 15 s: every index of every node, ours and the source too, takes no writes',
    demand: 'exact_or_safe',
    disturbsWriters: true,
    async strike({ arena }) {
      const disk = 'cluster.routing.allocation.disk';
      const put = (enabled: boolean, mark: string): Promise<unknown> =>
        arena.ask('PUT', '/_cluster/settings', {
          persistent: {
            'cluster.info.update.interval': '10s',
            [`${disk}.threshold_enabled`]: enabled,
            [`${disk}.watermark.low`]: mark,
            [`${disk}.watermark.high`]: mark,
            [`${disk}.watermark.flood_stage`]: mark,
          },
        });
      await put(true, '1%');
      await sleep(15_000);
      await put(true, '100%');
      // OpenSearch takes its blocks away at its next look at the disks.
      for (;;) {
        const path =
          '/_all/_settings/index.blocks.read_only_allow_delete?flat_settings=true&expand_wildcards=all';
        const left = JSON.stringify(await arena.ask('GET', path));
        if (!left.includes('read_only_allow_delete')) return;
        await sleep(500);
      }
    },
  },
];
