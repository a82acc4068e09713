import { AoscError } from '@aosc/contract';
import { cleanupLeases } from '../admin/cleanup-leases';
import { clearState } from '../admin/clear-state';
import type { ApiDependencies } from '../dependencies';
import type { Handlers } from '../http/mount';
import type { Query } from '../http/query';

/** Ids that an audit line names; the numbers beside them count all. */
const maxNamed = 50;

/** What an operator clears by hand when cancelling does not help. */
export function handleAdministration(deps: ApiDependencies): Handlers {
  return {
    async aosc_cleanup_leases({ query, note }) {
      const index = textOf(query, 'index', '[index] query parameter must not be empty');
      const [dryRun, includeActive] = [query.flag('dry_run'), query.flag('include_active')];
      note({ dryRun, index: index ?? null, includeActive });
      const answer = await cleanupLeases(deps, { index, dryRun, includeActive });
      const { leases, released, failed } = answer;
      const named = dryRun ? leases : leases.filter((lease) => lease.released);
      const ids = named.slice(0, maxNamed).map(({ lease_id: id }) => id);
      note({ found: leases.length, released, failed, leases: ids });
      return answer;
    },

    async aosc_clear_cluster_state({ query, note }) {
      const migrationId = textOf(query, 'migration_id', 'migration_id must not be empty');
      const [dryRun, tryClose] = [query.flag('dry_run'), query.flag('try_close')];
      const [detailed, undo] = [query.flag('detailed'), query.flag('undo')];
      note({ dryRun, tryClose, undo, migration: migrationId ?? null });
      const answer = await clearState(deps, { dryRun, tryClose, migrationId, detailed, undo });
      const rows = Object.entries(answer.migrations);
      const idsOf = (isMeant: (row: (typeof rows)[number][1]) => boolean): readonly string[] =>
        rows.flatMap(([id, row]) => (isMeant(row) ? [id] : [])).slice(0, maxNamed);
      note({
        found: rows.length,
        cleared: idsOf(({ cluster_state: state }) => state === 'cleared'),
        failed: idsOf(({ error }) => error !== undefined),
      });
      return answer;
    },
  };
}

/** @throws AoscError illegal_argument when the parameter is given without a value */
function textOf(query: Query, name: string, reason: string): string | undefined {
  const text = query.text(name);
  if (text?.trim() === '') throw new AoscError('illegal_argument', reason);
  return text;
}
