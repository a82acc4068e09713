import type { MigrationIndices, MigrationStatus } from '@aosc/client';
import { Link } from 'react-router';
import { adviceForWait } from '../../explain/advice';
import { explainPhase } from '../../explain/next-step';
import { hasEnded, isUndone } from '../../explain/phase-names';
import { DocLink } from '../../ui/doc-link';
import { Moment } from '../../ui/parts';
import { LeftToDo } from './left-to-do';

/** What happens now, what comes next, and what the reader can do. Its height does not depend on its text. */
export function NowPanel({
  status,
  now,
}: {
  readonly status: MigrationStatus;
  readonly now: MigrationIndices | undefined;
}) {
  const step = explainPhase(status);
  const {
    waiting_for: wait,
    phase,
    migration_id: id,
    source_index: source,
    aliases_left_behind: left = [],
    mapping_drift: drift = [],
  } = status;
  return (
    <section className={`card now ${wait === undefined ? '' : 'now-waits'}`} aria-label="What goes on">
      <div aria-live="polite">
        <h2>{hasEnded(phase) ? 'What happened' : 'Now'}</h2>
        <p>{step.now}</p>
        {wait !== undefined && (
          <p className="said">
            It waits, since <Moment at={wait.since_millis} />: {wait.text ?? wait.reason}
          </p>
        )}
        {drift.length > 0 && <MappingDrift drift={drift} />}
      </div>
      <div>
        <h2>Next</h2>
        <p>{step.next}</p>
      </div>
      <div>
        <h2>{hasEnded(phase) ? 'Left to do' : 'You'}</h2>
        {wait !== undefined && (
          <p>
            {adviceForWait(wait.reason).text} More: <DocLink page={adviceForWait(wait.reason).page} />.
          </p>
        )}
        {step.act !== undefined && <p>{step.act}</p>}
        {!hasEnded(phase) && left.length > 0 && (
          <p>
            {left.join(', ')} {left.length === 1 ? 'stays' : 'stay'} on {source}, which takes no writes after
            the swap. Move applications that use {left.length === 1 ? 'it' : 'them'} before.
          </p>
        )}
        {isUndone(phase) && (
          <p>
            If it does not end:{' '}
            <Link to={`/state?migration=${encodeURIComponent(id)}`}>clear it by hand</Link>.
          </p>
        )}
        {hasEnded(phase) && <LeftToDo status={status} now={now} />}
        {hasEnded(phase) && (
          <p>
            <Link to={`/migrations/${encodeURIComponent(source)}/${encodeURIComponent(id)}/report`}>
              Report
            </Link>{' '}
            with the requests that do it.
          </p>
        )}
      </div>
    </section>
  );
}

function MappingDrift({ drift }: { readonly drift: NonNullable<MigrationStatus['mapping_drift']> }) {
  return (
    <>
      <p className="said">
        These fields have come to be mapped in different ways since the start, so queries answer otherwise
        after the swap. More: <DocLink page="docs/how-to/change-a-mapping.md" />.
      </p>
      <ul>
        {drift.map(({ field, source, target = 'nothing' }) => (
          <li key={field}>
            <code>{field}</code>: <code>{source}</code> in the source, <code>{target}</code> in the target
          </li>
        ))}
      </ul>
    </>
  );
}
