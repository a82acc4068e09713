import type { ToldMigration } from '../support/told-migration';
import type { Mismatches } from '@aosc/testkit';
import { describeMismatches, mismatchKinds } from '@aosc/testkit';
import { mayBeBlocked } from './fault';
import type { Plan } from './plan';
import { type Block, probeId } from './probe';

/** The bound of the write block was held, by giving the cutover up. */
export const overdue = /lasted longer than \d+ ms/;
const strayWrites = /was written to after the swap/;

/** When the fault did its harm, in ms of `performance.now()`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Whether the migration may have ended as it has.
 * @param struck the record right before the fault
 * @param underBlock whether the fault came while writes were blocked
 * @returns what is wrong with it
 */
export function judgeEnd(
  { fault, phase: planned, verifies }: Plan,
  struck: ToldMigration,
  { phase, errorMessage = '', rehearsal }: ToldMigration,
  underBlock: boolean,
): string | undefined {
  const asked = { CANCELLING: 'CANCELLED', FAILING: 'FAILED' } as Partial<Record<string, string>>;
  const hadEnded = struck.phase === asked[planned];
  const decided = hadEnded ? struck.phase : asked[struck.phase];
  // A swap that is on its way when the end is asked for can be faster.
  if (decided !== undefined) {
    return phase === decided || (phase === 'COMPLETED' && mayBeBlocked(struck))
      ? undefined
      : `${struck.phase} ended ${phase}: ${errorMessage}`;
  }
  if (verifies === 'rehearse' && phase !== 'FAILED') {
    const isWell = phase === 'CANCELLED' && rehearsal?.outcome === 'exact';
    return isWell
      ? undefined
      : `a rehearsal ended ${phase}, ${rehearsal?.outcome ?? 'and nothing was found'}: ${errorMessage}`;
  }
  if (phase === 'COMPLETED') {
    // Without such a fault no other writer exists: the service would excuse its own loss.
    if (strayWrites.test(errorMessage) && fault.letsWritesStray !== true) return `COMPLETED: ${errorMessage}`;
    return fault.demand === 'safe' && !struck.committed ? 'COMPLETED in spite of it' : undefined;
  }
  if (phase === 'FAILED' && (fault.demand !== 'exact' || (underBlock && overdue.test(errorMessage)))) {
    return undefined;
  }
  return `${phase}: ${errorMessage}`;
}

/** The service itself says that writes of a user went to the source after the swap: both sides differ then. */
export function tellsOfStrayWrites({ fault }: Plan, { errorMessage = '' }: ToldMigration): boolean {
  return fault.letsWritesStray === true && strayWrites.test(errorMessage);
}

/**
 * Blocks that lasted longer than the setting allows, plus the time in which no process of the service could reach
 * OpenSearch.
 * @param boundMs with what a busy machine takes
 */
export function judgeBlocks(
  { fault }: Plan,
  blocks: readonly Block[],
  struck: Span,
  boundMs: number,
): readonly string[] {
  return blocks.flatMap((block) => {
    const hindered = fault.hindersUs === true ? overlapMs(block, struck) : 0;
    const explainedMs = boundMs + Math.max(hindered, block.unreachableMs);
    const ms = block.to - block.from;
    if (ms <= explainedMs) return [];
    return [`writes were blocked for ${Math.round(ms)} ms; ${Math.round(explainedMs)} are explained`];
  });
}

/** @returns 0 when they have nothing in common, and at least 1 when they have */
export function overlapMs(block: Block, { from, to }: Span): number {
  if (block.to < from || block.from > to) return 0;
  return Math.max(1, Math.min(block.to, to) - Math.max(block.from, from));
}

/** Mismatches but for the probe's own document, which is written to on both sides of the swap. */
export function describeWrong(mismatches: Mismatches): readonly string[] {
  const wrong = mismatchKinds.flatMap((kind) => mismatches[kind].samples);
  const other = wrong.filter(({ id }) => id !== probeId);
  if (other.length === 0 && mismatches.total <= 1) return [];
  return [`${mismatches.total} documents differ`, ...describeMismatches(mismatches)];
}
