import type { MigrationIn } from '@aosc/domain';
import type { MigrationRecord } from '@aosc/contract';
import { countFresh, sumOf } from '../../cluster/count-on-primaries';
import type { IndexRouting } from '../../ports/index-state-port';
import { type Changed, changed, type MigrationView, type StepContext, type Waiting } from '../step/context';
import { failMigration } from '../step/failure';
import { findCutoverHazard, lookAtCutover } from './cutover-guard';
import { explainShortage, findMissing, findShortDocuments } from './document-sums';
import { evaluateCopy, haveCountsPassed } from './evaluate-copy';
import { areBulksOutstanding } from './outstanding-bulks';

/** Applications are blocked meanwhile. */
const replicaPollMs = 50;

/** Everything that must hold before the swap. Any doubt means FAILING: the block is lifted and nothing is lost. */
export async function validateCopy(
  context: StepContext,
  view: MigrationView<'COMPLETING'>,
): Promise<Changed<'COMPLETING' | 'FAILING'> | Waiting> {
  const { record } = view;
  const { source, target, signal, clock } = context;
  const { options } = record;
  const query = options.validationQuery;
  context.assertMandate();
  // Before the counts: what comes once more afterwards would be in none of them. Their first look at the primaries is taken
  // meanwhile; those must have stayed for all the longer.
  const [areOutstanding, inSource, inTarget] = await Promise.all([
    areBulksOutstanding(context, view),
    source.state.readRouting({ signal }),
    target.state.readRouting({ signal }),
  ]);
  if (areOutstanding) return { type: 'waiting', wakeInMs: replicaPollMs };
  const counting = countFresh(target, { signal }, undefined, inTarget);
  const [sourceCount, held, targetCount, missing, lagging, observation] = await Promise.all([
    countFresh(source, { signal }, query, inSource).then(sumOf),
    counting,
    (query === undefined ? counting : countFresh(target, { signal }, query, inTarget)).then(sumOf),
    query === undefined ? undefined : findMissing(context, record, counting),
    refreshReplicas(context, inTarget, counting),
    lookAtCutover(context, record),
    restorePipeline(context, record),
  ]);
  const short = findShortDocuments(view, held);
  const counts = { sourceCount, targetCount, tolerance: options.docCountTolerance, short };
  const passed = haveCountsPassed(counts);
  const counted: MigrationIn<'COMPLETING'> = {
    ...record,
    cutoverContext: {
      docCountTolerance: options.docCountTolerance,
      cutoverStartMillis: record.cutoverContext?.cutoverStartMillis ?? clock.now(),
      aliasSwapSucceeded: false,
      sourceDocCount: sourceCount,
      targetDocCount: targetCount,
      docCountValidationPassed: passed,
    },
  };
  context.log.info('doc_count_validation', passed ? 'counts agree' : (short ?? 'counts differ'), {
    sourceCount,
    targetCount,
    tolerance: options.docCountTolerance,
  });
  const verdict = evaluateCopy({
    ...counts,
    missing,
    explanations: explainShortage(view),
    hazard: findCutoverHazard(record, observation),
    laggingReplicas: lagging,
  });
  switch (verdict.type) {
    case 'fail':
      return failMigration(context, counted, verdict.reason);
    case 'wait':
      context.log.info('replicas_lag', 'the swap waits for replicas that fetch their segments', { lagging });
      return { type: 'waiting', wakeInMs: replicaPollMs };
    case 'swap':
      return changed({ ...counted, commitRequested: true });
  }
}

/**
 * Those who read from a replica after the swap see all of the target, too. A target without replicas is not asked.
 * @param counted afterwards nothing is left to be refreshed on the primaries
 * @returns replicas that do not show all of it yet
 */
async function refreshReplicas(
  { target, signal }: Pick<StepContext, 'target' | 'signal'>,
  { primaries }: IndexRouting,
  counted: Promise<unknown>,
): Promise<number> {
  await counted;
  if (primaries.every(({ copies }) => copies === 1)) return 0;
  await target.state.refresh({ signal });
  return target.state.countLaggingReplicas({ signal });
}

/** No replay write is left, so the target's own pipeline comes back before applications reach it. */
async function restorePipeline(context: StepContext, record: MigrationRecord): Promise<void> {
  const original = record.targetOriginals?.['index.final_pipeline'];
  if (original === undefined) return;
  const { target, signal } = context;
  await target.settings.put({ 'index.final_pipeline': original }, { signal });
}
