import type { MigrationStatus } from '@aosc/client';
import { formatDuration } from '../../format/times';
import { Moment } from '../../ui/parts';
import { type Attempt, type AttemptStep, stepsOfAttempt, wordsForOutcome } from './attempt-steps';

/** Each attempt of the cutover with the time of its steps, newest last, and why it did not lead to the swap. */
export function CutoverAttempts({ status }: { readonly status: MigrationStatus }) {
  const attempts = status.cutover?.attempts ?? [];
  if (attempts.length === 0) return <p className="quiet">No cutover has begun.</p>;
  return (
    <ol className="attempts" aria-label="Attempts of the cutover">
      {attempts.map((attempt) => (
        <li key={attempt.started_millis} className="card stack-small">
          <AttemptRow attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}

function AttemptRow({ attempt }: { readonly attempt: Attempt }) {
  const { started_millis: started, blocked_ms: blocked, reason } = attempt;
  const steps = stepsOfAttempt(attempt);
  return (
    <>
      <p>
        <strong>{wordsForOutcome(attempt)}</strong>{' '}
        <span className="quiet">
          <Moment at={started} />
          {blocked !== undefined && `, writes refused for ${formatDuration(blocked)}`}
        </span>
      </p>
      {reason !== undefined && <p className="said">{reason}</p>}
      {steps.length > 0 && <AttemptBar steps={steps} />}
    </>
  );
}

/** The steps side by side, as wide as they took long; the list below has the figures. */
function AttemptBar({ steps }: { readonly steps: readonly AttemptStep[] }) {
  return (
    <>
      <div className="attempt-bar" aria-hidden="true">
        {steps.map(({ name, millis, isBlocked }) => (
          <span
            key={name}
            className={isBlocked ? 'attempt-blocked' : ''}
            style={{ flexGrow: Math.max(1, millis) }}
          />
        ))}
      </div>
      <dl className="attempt-steps">
        {steps.map(({ name, millis, isBlocked }) => (
          <div key={name}>
            <dt>
              {name}
              {isBlocked && <span className="attempt-mark"> (writes refused)</span>}
            </dt>
            <dd>{formatDuration(millis)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
