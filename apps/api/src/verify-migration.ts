import {
  AoscError,
  createBodyReader,
  type VerificationAnswer,
  type VerifyRequest,
  VerifyRequestSchema,
} from '@aosc/contract';
import { certificateOf, comparability, newVerification } from '@aosc/domain';
import { compareAndSet } from '@aosc/engine';
import type { ApiDependencies } from './dependencies';

const readBody = createBodyReader(VerifyRequestSchema);

/**
 * @param body undefined: nothing was sent
 * @throws AoscError parsing_failed, validation_failed
 */
export const readVerifyRequest = (body: unknown): VerifyRequest => readBody(body ?? {});

/**
 * Begins a verification of the running or the newest migration of a source. Workers do the rest.
 * @throws AoscError not_found, conflict
 */
export async function startVerification(
  deps: ApiDependencies,
  source: string,
  asked: { readonly who?: string | undefined } & VerifyRequest,
): Promise<VerificationAnswer> {
  const call = deps.newCall();
  const found = await deps.store.findMigrationBySource(source, call);
  if (found === undefined) throw new AoscError('not_found', `No migration found for index [${source}]`);
  const { record: migration } = found;
  const refuse = (why: string): never => {
    throw new AoscError('conflict', `Cannot verify the migration of [${source}]: ${why}`);
  };
  const verdict = comparability(migration);
  if (typeof verdict === 'object') refuse(verdict.never);
  const isOver = migration.phase === 'COMPLETED' || migration.transform?.rewritesIdentity === true;
  if (asked.repair === true && isOver)
    refuse(
      'repairs are possible before the swap alone, and not where a script sets ids or routings: of what source a document of the ' +
        'target is can not be told there. Verify without repair',
    );
  const verification = await compareAndSet(async () => {
    const before = await deps.store.readVerification(migration.key, call);
    if (before?.record.phase === 'running') refuse('a verification of it is running; GET _verify shows it');
    const begun = newVerification(migration.key, deps.now(), asked);
    return { write: async () => (await deps.store.replaceVerification(before, begun, call)).record };
  });
  deps.logger.info('verification requested', {
    event: 'verification_requested',
    migration: migration.migrationId,
  });
  try {
    await deps.queueClient.ensureVerifyJob(migration.key);
  } catch (error) {
    deps.logger.warn('the verification is not queued yet; the schedulers find its record', {
      event: 'wake_failed',
      migration: migration.migrationId,
      error,
    });
  }
  return certificateOf(migration, verification);
}
