import { differenceKinds, type VerificationRecord, type Waiting } from '@aosc/contract';
import { differencesIn } from './findings';

const named = 3;
const runs = 'options.verify is content: ';

/** Whether a migration waits only for a verification that runs: it needs no help. */
export const isVerifying = ({ text }: Waiting): boolean => text?.startsWith(runs) === true;

/** Why a verification lets no cutover begin; undefined: it is done, and has found no difference. */
export function describeVerification(
  { phase, counts, samples, reason, passes, documentsCompared, unsettled }: VerificationRecord,
  remedy = 'Put right what _verify shows, and POST _verify, or cancel the migration',
): string | undefined {
  if (phase === 'running') return `${runs}${documentsCompared} documents are verified so far, pass ${passes}`;
  if (phase === 'failed') return `the verification failed: ${reason ?? 'no reason is known'}. ${remedy}`;
  const differences = differencesIn(counts);
  if (differences === 0 && unsettled === 0) return undefined;
  if (differences === 0)
    return `${unsettled} documents were written at each look, so that they could not be judged: the next pass looks again`;
  const kinds = differenceKinds.flatMap((kind) => (counts[kind] === 0 ? [] : [`${counts[kind]} ${kind}`]));
  const first = samples.slice(0, named).map(({ kind, id }) => `[${id}] ${kind}`);
  return (
    `the target differs from the source in ${differences} documents (${kinds.join(', ')}), ` +
    `first: ${first.join(', ')}. ${remedy}`
  );
}
