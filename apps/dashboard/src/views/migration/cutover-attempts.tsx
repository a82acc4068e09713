import type { MigrationStatus } from '@aosc/client';
import { formatSi } from '../../format/numbers';
import { formatDuration } from '../../format/times';
import { Moment } from '../../ui/parts';
import { type Attempt, type AttemptStep, stepsOfAttempt, wordsForOutcome } from './attempt-steps';

/** Each attempt of the cutover with the time of its steps, newest last, and why it did not lead to the swap. */
export function CutoverAttempts({ status }: { readonly status: MigrationStatus }) {
  const { attempts = [], without_hold: withoutHold, predicted_pause_ms: predicted } = status.cutover ?? {};
  const { pinned_bytes: pinnedBytes = 0 } = status.cutover ?? {};
  return (
    <>
      {predicted !== undefined && (
        <p>
          The next pause of writes is predicted to last <strong>{formatDuration(predicted)}</strong>.
        </p>
      )}
      {pinnedBytes > 0 && <p className="quiet">Snapshots keep {formatSi(pinnedBytes, 'B')} on disk.</p>}
      {withoutHold !== undefined && (
        <p className="quiet">Writes were refused without waiting first: {withoutHold}.</p>
      )}
      {attempts.length === 0 && <p className="quiet">No cutover has begun.</p>}
      <ol className="attempts" aria-label="Attempts of the cutover">
        {attempts.map((attempt) => (
          <li key={attempt.started_millis} className="card stack-small">
            <AttemptRow attempt={attempt} />
          </li>
        ))}
      </ol>
    </>
  );
}

function AttemptRow({ attempt }: { readonly attempt: Attempt }) {
  const { started_millis: started, write_hold_ms: held, blocked_ms: blocked, reason } = attempt;
  const steps = stepsOfAttempt(attempt);
  return (
    <>
      <p>
        <strong>{wordsForOutcome(attempt)}</strong>{' '}
        <span className="quiet">
          <Moment at={started} />
          {held !== undefined && `, writes waited for ${formatDuration(held)}`}
          {blocked !== undefined && `, writes refused for ${formatDuration(blocked)}`}
        </span>
      </p>
      {reason !== undefined && <p className="said">{reason}</p>}
      {steps.length > 0 && <AttemptBar steps={steps} />}
    </>
  );
}

const classes = { 'go on': '', wait: 'attempt-held', 'are refused': 'attempt-blocked' } as const;

/** The steps side by side, as wide as they took long; the list below has the figures. */
function AttemptBar({ steps }: { readonly steps: readonly AttemptStep[] }) {
  return (
    <>
      <div className="attempt-bar" aria-hidden="true">
        {steps.map(({ name, millis, writes }) => (
          <span key={name} className={classes[writes]} style={{ flexGrow: Math.max(1, millis) }} />
        ))}
      </div>
      <dl className="attempt-steps">
        {steps.map(({ name, millis, writes }) => (
          <div key={name}>
            <dt>
              {name}
              {writes !== 'go on' && <span className="attempt-mark"> (writes {writes})</span>}
            </dt>
            <dd>{formatDuration(millis)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
