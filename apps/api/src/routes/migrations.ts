import type { CancelAnswer, CutoverAnswer, StartAnswer } from '@aosc/contract';
import { requireIndex, shownAliases } from '../auth/principal';
import { notesOfStart, notesOfTarget } from '../auth/start-notes';
import {
  cancelMigration,
  orderCutover,
  readCutoverRequest,
  readVerifyRequest,
  retrySetAside,
  startVerification,
} from '../change-migration';
import type { ApiDependencies } from '../dependencies';
import type { Handlers } from '../http/mount';
import { callerOf, whoOf } from '../start/caller';
import { previewTransform } from '../start/preview-transform';
import { checkStart, planStart, startMigration } from '../start/start-migration';
import { createTarget } from '../target/create-target';

/** What changes the migration of a source, and what prepares one. */
export function handleMigrations(deps: ApiDependencies): Handlers {
  return {
    async aosc_start_migration({ request, query, body, principal, part, note, gone }) {
      const dryRun = query.flag('dry_run');
      note({ dryRun, ...notesOfStart(body) });
      const [caller, index, left] = [callerOf(principal), part('index'), gone()];
      if (dryRun) {
        const checked = await checkStart(deps, { source: index, body, caller, gone: left });
        note({ migration: null });
        return checked;
      }
      const { migrationId, aliasesLeftBehind } = await deps.traces.start(request.headers.traceparent, () =>
        startMigration(deps, index, body, caller, left),
      );
      note({ migration: migrationId });
      return {
        migration_id: migrationId,
        accepted: true,
        ...(aliasesLeftBehind && { aliases_left_behind: shownAliases(caller, aliasesLeftBehind) }),
      } satisfies StartAnswer;
    },

    async aosc_plan_migration({ body, principal, part, note, gone }) {
      note(notesOfStart(body));
      const asked = { source: part('index'), body, caller: callerOf(principal), gone: gone() };
      const { plan_id: plan, ...answer } = await planStart(deps, asked);
      note({ plan, verdict: answer.verdict });
      return { plan_id: plan, ...answer };
    },

    async aosc_create_target({ query, body, principal, part, note, gone }) {
      const dryRun = query.flag('dry_run');
      note(notesOfTarget(body, dryRun));
      const asked = { caller: callerOf(principal), dryRun, gone: gone() };
      const answer = await createTarget(deps, part('index'), body, asked);
      note({ created: answer.created });
      return answer;
    },

    async aosc_preview_transform({ body, principal, part, note, gone }) {
      note(notesOfStart(body));
      const answer = await previewTransform(deps, part('index'), body, callerOf(principal), gone());
      note({ documents: answer.documents.length });
      return answer;
    },

    async aosc_cancel_migration({ principal, part, note }) {
      requireIndex(principal, part('index'));
      const { phase, migrationId } = await cancelMigration(deps, part('index'), whoOf(principal));
      note({ migration: migrationId, phase });
      return { accepted: true, phase } satisfies CancelAnswer;
    },

    async aosc_order_cutover({ body, principal, part, note }) {
      const asked = readCutoverRequest(body);
      note({ ...asked });
      requireIndex(principal, part('index'));
      const ordered = await orderCutover(deps, part('index'), asked, whoOf(principal));
      const { migrationId, phase, cutover } = ordered;
      note({ migration: migrationId, phase });
      return { accepted: true, phase, cutover } satisfies CutoverAnswer;
    },

    async aosc_retry_set_aside({ principal, part, note }) {
      requireIndex(principal, part('index'));
      const { migrationId, ...answer } = await retrySetAside(deps, part('index'));
      note({ migration: migrationId, documents: answer.documents });
      return answer;
    },

    async aosc_verify_migration({ body, principal, part, note }) {
      const asked = readVerifyRequest(body);
      requireIndex(principal, part('index'));
      const answer = await startVerification(deps, part('index'), { ...asked, who: whoOf(principal) });
      note({ migration: answer.migration_id });
      return answer;
    },
  };
}
