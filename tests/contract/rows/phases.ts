import type { StatusDocument } from '@aosc/testkit';
import type { ContractRun, Row, Rows } from '../support/contract-run';

/** The contract's names, written down by hand. */
export const terminalPhases: readonly string[] = ['COMPLETED', 'CANCELLED', 'FAILED'];
export const activePhases: readonly string[] = [
  'ACTIVE',
  'PREPARING_TARGET',
  'CUTTING_OVER',
  'CATCHING_UP',
  'COMPLETING',
  'CANCELLING',
  'FAILING',
];
export const migrationPhases: readonly string[] = [...activePhases, ...terminalPhases];
export const shardPhases: readonly string[] = [
  'PENDING',
  'ACQUIRING_LEASE',
  'BACKFILLING',
  'CONVERGING',
  'CONVERGED',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
  'CANCELLED',
  'FAILING',
  'FAILED',
];

function statusesOf({ samples }: ContractRun): readonly StatusDocument[] {
  const { completed, merged, failed, cancelled, counts } = samples;
  return [completed.ended, merged.ended, failed.ended, cancelled.ended, counts.refused, counts.tolerated];
}

const seen = (run: ContractRun): readonly string[] =>
  statusesOf(run).flatMap(({ transition_history: history = [] }) => history.map(({ phase }) => phase));

const seenOfShards = (run: ContractRun): readonly string[] =>
  statusesOf(run)
    .flatMap(({ shards }) => Object.values(shards))
    .flatMap(({ transition_history: history = [] }) => history.map(({ phase }) => phase));

/** A migration of the run has been in the phase, and the list can be asked for it. */
const phaseRow =
  (phase: string): Row =>
  async (run) => {
    expect(seen(run)).toContain(phase);
    expect(await run.api('GET', `/_plugins/_aosc/_list?status=${phase}`)).toMatchObject({ status: 200 });
  };

const shardPhaseRow =
  (phase: string): Row =>
  (run) =>
    expect(seenOfShards(run)).toContain(phase);

export const phaseRows: Rows = {
  ...Object.fromEntries(migrationPhases.map((phase) => [`states/migration/${phase}`, phaseRow(phase)])),
  ...Object.fromEntries(shardPhases.map((phase) => [`states/shard/${phase}`, shardPhaseRow(phase)])),
  'states/no-others': (run) => {
    for (const phase of seen(run)) expect(migrationPhases).toContain(phase);
    for (const phase of seenOfShards(run)) expect(shardPhases).toContain(phase);
  },
  'states/shard-terminal': (run) => {
    for (const status of statusesOf(run)) {
      for (const { phase, transition_history: history = [] } of Object.values(status.shards)) {
        expect(terminalPhases).toContain(phase);
        const ends = history.filter((entry) => terminalPhases.includes(entry.phase));
        expect(ends.map((entry) => entry.phase)).toEqual([phase]);
        expect(history.at(-1)?.phase).toBe(phase);
      }
    }
  },
  'states/pending-permit': ({ samples }) => {
    const { pending, ended } = samples.completed;
    expect(Object.values(pending.shards).map(({ phase }) => phase)).toEqual(['PENDING', 'PENDING']);
    expect(ended.phase).toBe('COMPLETED');
  },
  'states/lease-id': async ({ api, samples }) => {
    // Held while it ran, given back at its end.
    const { held, ended } = samples.completed;
    for (const shard of Object.values(ended.shards)) expect(shard).toHaveProperty('meta', {});
    expect(await api('POST', '/_plugins/_aosc/_admin/_cleanup_leases')).toMatchObject({
      status: 200,
      body: { leases: [] },
    });
    for (const [shard, document] of Object.entries(held.shards)) {
      const lease = `aosc-migration-${ended.migration_id}-${shard}`;
      expect(document).toHaveProperty('meta', { active_lease: lease });
    }
  },
  'transitions/cancel': ({ samples }) => {
    const { cancels, ended } = samples.cancelled;
    expect(cancels[0]).toEqual({ status: 200, body: { accepted: true, phase: 'CANCELLING' } });
    expect(ended.phase).toBe('CANCELLED');
  },
  'transitions/complete': ({ samples }) => {
    const { ended, aliasAfter, target, sourceSettingsAfter } = samples.completed;
    expect(ended.phase).toBe('COMPLETED');
    expect(ended.cutover_context).toMatchObject({
      doc_count_validation_passed: true,
      alias_swap_succeeded: true,
    });
    expect(Object.keys(aliasAfter as object)).toEqual([target]);
    expect(sourceSettingsAfter['index.blocks.write']).toBe('true');
  },
  'transitions/automatic-cutover': ({ samples }) => {
    // The starts alone lead to this: no further request followed.
    for (const status of [samples.counts.tolerated, samples.counts.unfiltered]) {
      expect(status.transition_history?.map(({ phase }) => phase)).toEqual(
        expect.arrayContaining(['ACTIVE', 'CUTTING_OVER', 'COMPLETED']),
      );
    }
  },
  'transitions/failing': ({ samples }) => {
    const { ended } = samples.failed;
    expect(ended.transition_history?.map(({ phase }) => phase)).toEqual(['ACTIVE', 'FAILING', 'FAILED']);
    const [shard] = Object.values(ended.shards);
    expect(shard?.transition_history?.slice(-2).map(({ phase }) => phase)).toEqual(['FAILING', 'FAILED']);
  },
};
