import type { MigrationPhase, StatusDocument } from '@aosc/contract';
import { useEffect, useState } from 'react';
import { toneOfPhase, wordFor } from '../../explain/phase-names';
import { formatDuration } from '../../format/times';
import { Moment } from '../../ui/parts';
import { spansOf } from './phase-spans';

const ends: readonly MigrationPhase[] = ['COMPLETED', 'CANCELLED', 'FAILED'];
/** Shorter than this a phase would not be seen. */
const leastPart = 0.02;

/** The phases with what each of them has taken. */
export function PhaseTimeline({
  transitions,
  phase,
}: {
  readonly transitions: StatusDocument['transition_history'];
  readonly phase: MigrationPhase;
}) {
  const hasEnded = ends.includes(phase);
  const now = useNow(!hasEnded);
  const spans = spansOf(transitions, now, hasEnded);
  const all = spans.reduce((sum, { durationMillis }) => sum + durationMillis, 0);
  return (
    <section aria-label="Phases">
      <h2>Phases</h2>
      <div className="phase-bar" aria-hidden="true">
        {spans.map(({ phase: one, startMillis, durationMillis }) => (
          <div
            key={`${one} ${startMillis}`}
            className={`tone-${toneOfPhase[one]}`}
            style={{ flexGrow: Math.max(leastPart, all === 0 ? 1 : durationMillis / all) }}
          />
        ))}
      </div>
      <ol className="phases">
        {spans.map(({ phase: one, startMillis, endMillis, durationMillis }) => (
          <li key={`${one} ${startMillis}`} aria-current={endMillis === undefined ? 'step' : undefined}>
            <span className={`swatch tone-${toneOfPhase[one]}`} aria-hidden="true" />
            <strong>{wordFor(one)}</strong>
            <span>{hasEnded && one === phase ? '' : formatDuration(durationMillis)}</span>
            <span className="sub">
              <Moment at={startMillis} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The time, once a second while it is needed. */
function useNow(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isNeeded) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}
