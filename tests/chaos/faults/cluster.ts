import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@aosc/local-stack';
import { readIndexSettings } from '@aosc/testkit';
import { type Fault, NotStruck, type Victim } from '../fault';
import { homeOf, managerOf, nameOfManager, nodeOf } from './homes';
import { hasSetting } from './settings';

/** Dead until another node has taken over, and then back. */
async function killForAWhile(victim: Victim, node: Server): Promise<void> {
  victim.mark();
  await node.kill();
  await sleep(2000 + victim.random.below(4000));
  await node.restart();
}

async function move(victim: Victim, index: string): Promise<void> {
  const { arena } = victim;
  const { primary, free } = await homeOf(victim, index);
  const [to] = free;
  if (primary === undefined || to === undefined) {
    throw new NotStruck(`${index} has no started primary, or copies on every node`);
  }
  victim.mark();
  const command = { move: { index, shard: 0, from_node: primary, to_node: to } };
  await arena.ask('POST', '/_cluster/reroute?metric=none', { commands: [command] });
}

const flood = { waitMs: 60_000, holdMs: 8_000, pollMs: 200 };

/** Waits for OpenSearch to set the block of the flood stage on these indices, or to take it away. */
async function waitForFlood({ arena }: Victim, indices: string, isBlocked: boolean): Promise<void> {
  const deadline = performance.now() + flood.waitMs;
  while ((await hasSetting(arena, indices, 'index.blocks.read_only_allow_delete')) !== isBlocked) {
    if (performance.now() > deadline) throw new Error(`no end of waiting for the flood stage: ${isBlocked}`);
    await sleep(flood.pollMs);
  }
}

export const clusterFaults: readonly Fault[] = [
  {
    name: 'node_kill',
    what: 'kill -9 of the node with a primary of the source; a replica takes over, the node comes back',
    demand: 'exact',
    disturbsWriters: true,
    hindersUs: true,
    strike: async (victim) => killForAWhile(victim, await nodeOf(victim, victim.source)),
  },
  {
    name: 'target_node_kill',
    what: 'kill -9 of the node with a primary of the target, which may have no replica while it is filled',
    demand: 'exact',
    disturbsWriters: true,
    hindersUs: true,
    strike: async (victim) => killForAWhile(victim, await nodeOf(victim, victim.target)),
  },
  {
    name: 'node_restart',
    what: 'restart of the node with a primary of the source, with SIGTERM',
    demand: 'exact',
    disturbsWriters: true,
    hindersUs: true,
    async strike(victim) {
      const node = await nodeOf(victim, victim.source);
      victim.mark();
      await node.restart();
    },
  },
  {
    name: 'manager_kill',
    what: 'kill -9 of the elected cluster manager; it comes back',
    demand: 'exact',
    disturbsWriters: true,
    hindersUs: true,
    strike: async (victim) => killForAWhile(victim, await managerOf(victim)),
  },
  {
    name: 'manager_change',
    what: 'another cluster manager is elected (voting exclusion)',
    demand: 'exact',
    async strike(victim) {
      const { name } = await managerOf(victim);
      victim.mark();
      // Answers when the node has left the voting configuration; only then it stands down.
      await victim.arena.ask('POST', `/_cluster/voting_config_exclusions?node_names=${name}`);
      const deadline = performance.now() + 10_000;
      while ((await nameOfManager(victim)) === name) {
        if (performance.now() > deadline) throw new NotStruck(`${name} is still the cluster manager`);
        await sleep(50);
      }
      await victim.arena.ask('DELETE', '/_cluster/voting_config_exclusions?wait_for_removal=false');
    },
  },
  {
    name: 'full_restart',
    what: 'kill -9 of all nodes at once, then all come back',
    demand: 'exact_or_safe',
    disturbsWriters: true,
    hindersUs: true,
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
    name: 'source_shard_fails',
    what: 'a primary of the source fails below its open snapshot and has to recover',
    demand: 'exact',
    disturbsWriters: true,
    async strike(victim) {
      const { primary: node } = await homeOf(victim, victim.source);
      if (node === undefined) throw new NotStruck(`${victim.source} has no started primary`);
      // A live primary on a remote store may acknowledge writes after the new one has read the remote translog, and
      // OpenSearch 3.8.0 loses these: seed 79013 had numbers 1822 to 1825 acknowledged, and the new primary read up to 1821.
      const settings = await readIndexSettings(victim.arena.environment.http, victim.source);
      if (settings['index.remote_store.enabled'] === 'true') {
        throw new NotStruck('OpenSearch may lose acknowledged writes of a source on a remote store');
      }
      victim.mark();
      const command = { cancel: { index: victim.source, shard: 0, node, allow_primary: true } };
      await victim.arena.ask('POST', '/_cluster/reroute?metric=none', { commands: [command] });
    },
  },
  {
    name: 'flood_stage',
    what: 'the disk is above the flood stage until all indices, ours and the source too, have taken no writes for 8 s',
    demand: 'exact_or_safe',
    disturbsWriters: true,
    async strike(victim) {
      const { arena, target } = victim;
      const disk = 'cluster.routing.allocation.disk';
      const put = (enabled: boolean, mark: string): Promise<unknown> =>
        arena.ask('PUT', '/_cluster/settings', {
          persistent: {
            [`${disk}.threshold_enabled`]: enabled,
            [`${disk}.watermark.low`]: mark,
            [`${disk}.watermark.high`]: mark,
            [`${disk}.watermark.flood_stage`]: mark,
          },
        });
      await put(true, '1%');
      // Not the source: OpenSearch passes over indices that take no writes already, as under our block.
      await waitForFlood(victim, target, true);
      victim.mark();
      await sleep(flood.holdMs);
      await put(true, '100%');
      // OpenSearch takes its blocks away at its next look at the disks.
      await waitForFlood(victim, '_all', false);
    },
  },
];
