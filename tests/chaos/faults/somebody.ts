import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from '@aosc/contract';
import { systemIndex } from '@aosc/store';
import { Type } from '@sinclair/typebox';
import { beforeTheBlock, beforeTheSwap, type Fault, NotStruck, type Victim } from '../fault';
import { hasSetting } from './settings';

const spellMs = 6_000;
/** From CUTTING_OVER to its write block, which a busy machine makes longer. */
const patienceMs = 20_000;
const parseClosed = createParser(
  'answer of DELETE /_search/point_in_time/_all',
  Type.Object({ pits: Type.Array(Type.Unknown()) }),
);

const settings = ({ arena }: Victim, index: string, values: object): Promise<unknown> =>
  arena.ask('PUT', `/${index}/_settings`, values);

/** For the request that ends a fault: a migration that has failed meanwhile has removed a target of its own. */
const ifThere = 'ignore_unavailable=true';

/** What people and other programs do to the indices. */
export const somebodysFaults: readonly Fault[] = [
  {
    name: 'target_read_only',
    what: '`read_only_allow_delete` on the target for 6 s',
    demand: 'exact_or_safe',
    async strike(victim) {
      const block = 'index.blocks.read_only_allow_delete';
      await settings(victim, victim.target, { [block]: true });
      await sleep(spellMs);
      await victim.arena.ask('PUT', `/${victim.target}/_settings?${ifThere}`, { [block]: null });
    },
  },
  {
    name: 'target_deleted',
    what: 'somebody deletes the target',
    demand: 'safe',
    phases: beforeTheSwap,
    async strike({ arena, target }) {
      await arena.ask('DELETE', `/${target}`);
    },
  },
  {
    name: 'target_closed',
    what: 'somebody closes the target, and opens it again after 6 s',
    demand: 'exact_or_safe',
    phases: beforeTheSwap,
    async strike({ arena, target }) {
      await arena.ask('POST', `/${target}/_close`);
      await sleep(spellMs);
      await arena.ask('POST', `/${target}/_open?${ifThere}`);
    },
  },
  {
    name: 'source_deleted',
    what: 'somebody deletes the source, and its alias with it',
    demand: 'safe',
    phases: beforeTheSwap,
    destroys: 'source',
    async strike({ arena, source }) {
      await arena.ask('DELETE', `/${source}`);
    },
  },
  {
    name: 'source_closed',
    what: 'somebody closes the source, and opens it again after 6 s',
    demand: 'exact_or_safe',
    phases: beforeTheSwap,
    disturbsWriters: true,
    async strike({ arena, source }) {
      await arena.ask('POST', `/${source}/_close`);
      await sleep(spellMs);
      await arena.ask('POST', `/${source}/_open`);
    },
  },
  {
    name: 'mapping_changed',
    what: 'somebody adds a field to the mappings of source and target',
    demand: 'exact',
    async strike({ arena, source, target }) {
      const properties = { added: { type: 'keyword' } };
      for (const index of [source, target]) await arena.ask('PUT', `/${index}/_mapping`, { properties });
    },
  },
  {
    name: 'alias_changed',
    what: 'somebody has the alias point at a third index as well',
    demand: 'safe',
    phases: beforeTheBlock,
    alsoHolds: ({ alias }) => [`${alias}-other`],
    async strike({ arena, source, alias }) {
      const other = `${alias}-other`;
      await arena.ask('PUT', `/${other}`);
      const actions = [
        { add: { index: source, alias, is_write_index: true } },
        { add: { index: other, alias, is_write_index: false } },
      ];
      await arena.ask('POST', '/_aliases', { actions });
    },
  },
  {
    name: 'snapshots_closed',
    what: 'somebody closes every point in time of the cluster',
    demand: 'exact',
    async strike({ arena }) {
      const { pits } = parseClosed(await arena.ask('DELETE', '/_search/point_in_time/_all'));
      if (pits.length === 0) throw new NotStruck('there was none');
    },
  },
  {
    name: 'block_lifted',
    what: 'somebody lifts the write block of the source',
    demand: 'exact_or_safe',
    phases: ['CUTTING_OVER', 'CATCHING_UP', 'COMPLETING'],
    letsWritesStray: true,
    async strike(victim) {
      const block = 'index.blocks.write';
      const deadline = performance.now() + patienceMs;
      while (!(await hasSetting(victim.arena, victim.source, block))) {
        if (performance.now() > deadline) throw new NotStruck('there is no block');
      }
      victim.mark();
      await settings(victim, victim.source, { [block]: null });
    },
  },
  {
    name: 'records_deleted',
    what: 'somebody deletes `.aosc-migrations`: nobody knows the migration any more, and docs/how-to/break-glass.md undoes it',
    demand: 'safe',
    phases: ['BACKFILLING', 'CUTTING_OVER', 'CATCHING_UP'],
    destroys: 'records',
    async strike({ arena }) {
      await arena.ask('DELETE', `/${systemIndex}`);
    },
  },
  {
    name: 'records_unavailable',
    what: '`.aosc-migrations` is closed for 6 s',
    demand: 'exact',
    async strike({ arena }) {
      await arena.ask('POST', `/${systemIndex}/_close`);
      await sleep(spellMs);
      await arena.ask('POST', `/${systemIndex}/_open`);
    },
  },
];
