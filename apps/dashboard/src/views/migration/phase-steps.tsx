import type { MigrationPhase, MigrationStatus } from '@aosc/client';
import { useEffect, useState } from 'react';
import { hasEnded, isUndone, toneOfPhase, wordFor } from '../../explain/phase-names';
import { formatDuration } from '../../format/times';
import { stepsOf } from './steps';

/** Every step of a migration, coming ones included, and how long each has taken. */
export function PhaseSteps({
  status: { phase, transition_history: transitions },
}: {
  readonly status: Pick<MigrationStatus, 'phase' | 'transition_history'>;
}) {
  const now = useNow(!hasEnded(phase));
  return (
    <ol className="steps" aria-label="Phases">
      {stepsOf(phase, transitions, now).map(({ phase: step, state, durationMillis }) => (
        <li
          key={step}
          className={`step step-${state} ${state === 'open' ? '' : `tone-line-${toneOfPhase[step]}`}`}
          aria-current={state === 'now' ? 'step' : undefined}
        >
          <strong>{wordFor(step)}</strong>
          <code>{step}</code>
          <span className="sub">{wordsFor(step, state, durationMillis)}</span>
        </li>
      ))}
    </ol>
  );
}

function wordsFor(step: MigrationPhase, state: 'done' | 'now' | 'open', durationMillis: number): string {
  if (state === 'open') return 'to come';
  if (hasEnded(step)) return 'the end';
  const time = formatDuration(durationMillis);
  return state === 'now' && !isUndone(step) ? `${time} so far` : time;
}

/** The present time, updated each second while it is needed. */
function useNow(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isNeeded) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}
