import type { MigrationPhase } from '@aosc/client';
import type { Tone } from '../output/paint';

/** How a phase looks; undefined: like any other text. */
export function toneOfPhase(phase: MigrationPhase): Tone | undefined {
  if (phase === 'COMPLETED') return 'good';
  if (phase === 'FAILED' || phase === 'FAILING') return 'bad';
  return phase === 'CANCELLED' || phase === 'CANCELLING' ? 'warn' : undefined;
}
