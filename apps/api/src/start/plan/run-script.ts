import { AoscError, type MigrationRecord } from '@aosc/contract';
import type { Call, RawDocument, TransformResult } from '@aosc/engine';
import type { ApiDependencies } from '../../dependencies';
import type { Hold } from '../../limits/admission';
import { tryOut } from '../check-transform';
import type { Checks } from '../checks';

/** Documents that go through the script at once. */
const batchSize = 50;

interface Asked {
  readonly text: NonNullable<MigrationRecord['transform']>;
  readonly target: string;
  readonly documents: readonly RawDocument[];
  readonly trial: { readonly seconds: number };
  readonly hold: Hold;
  readonly call: Call;
  /** fires when the caller no longer waits for the answer */
  readonly gone: AbortSignal;
}

/**
 * Runs the script for as long as the trial lasts: all that time it takes half of the places for starts. A batch that
 * ends too late, or not at all, is a refusal like a document on which the script fails.
 * @returns what it has made of the first documents, as far as it has come
 */
export async function runScript(
  deps: Pick<ApiDependencies, 'cluster' | 'requestTimeoutMs'>,
  { text, target, documents, trial, hold, call, gone }: Asked,
  checks: Checks,
): Promise<readonly TransformResult[]> {
  const results: TransformResult[] = [];
  const until = performance.now() + trial.seconds * 1_000;
  const isOver = () => call.signal.aborted || performance.now() >= until;
  for (let at = 0; at < documents.length && (at === 0 || !isOver()); at += batchSize) {
    if (gone.aborted) throw new AoscError('unavailable', 'The client went away before the script was tried');
    const batch = documents.slice(at, at + batchSize);
    try {
      results.push(...(await tryOut(deps, { text, target, documents: batch }, hold)));
    } catch (error) {
      if (!(error instanceof AoscError)) throw error;
      checks.refuse('documents.script', [error]);
      return results;
    }
  }
  const [tried, all] = [results.length, documents.length];
  const late = `the script had time for ${tried} of the ${all} documents`;
  await checks.warn('documents.script', () => (tried < all ? [late] : undefined));
  return results;
}
