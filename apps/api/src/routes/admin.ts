import { AoscError } from '@aosc/contract';
import { Router } from 'express';
import { cleanupLeases } from '../admin/cleanup-leases';
import { clearState } from '../admin/clear-state';
import { audited } from '../auth/audited-route';
import type { ApiDependencies } from '../dependencies';
import { readFlag, readQuery } from '../http/query';

/** Ids that an audit line names; the numbers beside them count all. */
const maxNamed = 50;

/** `/_plugins/_aosc/_admin`: what an operator clears by hand when cancelling does not help. */
export function createAdminRoutes(deps: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });

  router.post(
    '/_cleanup_leases',
    audited('cleanup_leases', {
      read: (request) => {
        const query = readQuery(request, ['index', 'dry_run', 'include_active']);
        refuseBlank(query.index, '[index] query parameter must not be empty');
        return {
          index: query.index,
          dryRun: readFlag('dry_run', query.dry_run, true),
          includeActive: readFlag('include_active', query.include_active),
        };
      },
      asked: ({ index = null, dryRun, includeActive }) => ({ dryRun, index, includeActive }),
      run: async (wanted) => {
        const answer = await cleanupLeases(deps, wanted);
        const { leases, released, failed } = answer;
        const named = wanted.dryRun ? leases : leases.filter((lease) => lease.released);
        const ids = named.slice(0, maxNamed).map(({ lease_id: id }) => id);
        return { answer, done: { found: leases.length, released, failed, leases: ids } };
      },
    }),
  );

  router.post(
    '/_clear_state',
    audited('clear_state', {
      read: (request) => {
        const query = readQuery(request, ['dry_run', 'try_close', 'migration_id', 'detailed', 'undo']);
        refuseBlank(query.migration_id, 'migration_id must not be empty');
        return {
          dryRun: readFlag('dry_run', query.dry_run, true),
          tryClose: readFlag('try_close', query.try_close, true),
          migrationId: query.migration_id,
          detailed: readFlag('detailed', query.detailed),
          undo: readFlag('undo', query.undo, true),
        };
      },
      asked: ({ dryRun, tryClose, undo, migrationId = null }) => ({
        dryRun,
        tryClose,
        undo,
        migration: migrationId,
      }),
      run: async (wanted) => {
        const answer = await clearState(deps, wanted);
        const rows = Object.entries(answer.migrations);
        const idsOf = (isMeant: (row: (typeof rows)[number][1]) => boolean): readonly string[] =>
          rows.flatMap(([id, row]) => (isMeant(row) ? [id] : [])).slice(0, maxNamed);
        return {
          answer,
          done: {
            found: rows.length,
            cleared: idsOf(({ cluster_state: state }) => state === 'cleared'),
            failed: idsOf(({ error }) => error !== undefined),
          },
        };
      },
    }),
  );

  return router;
}

function refuseBlank(text: string | undefined, reason: string): void {
  if (text?.trim() === '') throw new AoscError('illegal_argument', reason);
}
