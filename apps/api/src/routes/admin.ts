import { AoscError } from '@aosc/contract';
import { Router } from 'express';
import { cleanupLeases } from '../admin/cleanup-leases';
import { clearState } from '../admin/clear-state';
import type { ApiDependencies } from '../dependencies';
import { readFlag, readQuery } from '../http/query';

/** `/_plugins/_aosc/_admin`: what an operator takes away by hand when cancelling does not help. */
export function createAdminRoutes(deps: ApiDependencies): Router {
  const router = Router({ caseSensitive: true });

  router.post('/_cleanup_leases', async (request, response) => {
    const query = readQuery(request, ['index', 'dry_run', 'include_active']);
    refuseBlank(query.index, '[index] query parameter must not be empty');
    response.json(
      await cleanupLeases(deps, {
        index: query.index,
        dryRun: readFlag('dry_run', query.dry_run, true),
        includeActive: readFlag('include_active', query.include_active),
      }),
    );
  });

  router.post('/_clear_state', async (request, response) => {
    const query = readQuery(request, ['dry_run', 'try_close', 'migration_id', 'detailed', 'undo']);
    refuseBlank(query.migration_id, 'migration_id must not be empty');
    response.json(
      await clearState(deps, {
        dryRun: readFlag('dry_run', query.dry_run, true),
        tryClose: readFlag('try_close', query.try_close, true),
        migrationId: query.migration_id,
        detailed: readFlag('detailed', query.detailed),
        undo: readFlag('undo', query.undo, true),
      }),
    );
  });

  return router;
}

function refuseBlank(text: string | undefined, reason: string): void {
  if (text?.trim() === '') throw new AoscError('illegal_argument', reason);
}
