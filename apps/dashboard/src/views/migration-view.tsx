import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Tabs } from 'radix-ui';
import { lazy, Suspense, useEffect } from 'react';
import { Link, useParams } from 'react-router';
import { readStatus } from '../api/endpoints';
import { ApiError } from '../api/errors';
import { adviceForWait } from '../explain/advice';
import { explainPhase } from '../explain/next-step';
import { useFleet } from '../live/fleet-context';
import { findBySource } from '../live/fleet-store';
import { DocLink } from '../ui/doc-link';
import { Copyable, ErrorNote, ErrorText, Moment, PhaseBadge } from '../ui/parts';
import { CancelAction } from './migration/cancel-action';
import { CutoverPanel } from './migration/cutover-panel';
import { Figures } from './migration/figures';
import { OptionsTable } from './migration/options-table';
import { PhaseTimeline } from './migration/phase-timeline';
import { ShardGrid } from './migration/shard-grid';

// Few look at them at once, and they bring a library of their own.
const Plots = lazy(() => import('./migration/plots'));

/** Asked in any case, when the stream says nothing. */
const pollMs = 10_000;

/** One migration: the running or the newest one of a source. */
// eslint-disable-next-line max-lines-per-function -- the markup of one view, from top to bottom
export default function MigrationView() {
  const { index = '' } = useParams();
  const known = useFleet(({ migrations }) => findBySource(migrations, index));
  const isLive = useFleet(({ liveness }) => liveness.state === 'live');
  const queries = useQueryClient();
  const { data: status, error } = useQuery({
    queryKey: ['status', index],
    queryFn: ({ signal }) => readStatus(index, signal),
    refetchInterval: isLive ? false : pollMs,
    // Nearly every figure of it changes: to look for what did not costs more than it saves.
    structuralSharing: false,
  });
  // The stream says that something has changed; the status says what.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['status', index] });
  }, [queries, index, known]);
  if (status === undefined) {
    if (error === null) return <p className="quiet">Reading the status of {index}…</p>;
    if (error instanceof ApiError && error.status === 404) return <NoMigration index={index} />;
    return <ErrorNote error={error} title={`The status of ${index} can not be read`} />;
  }
  const step = explainPhase(status);
  const wait = status.waiting_for;
  const isEnding = status.phase === 'CANCELLING' || status.phase === 'FAILING';
  return (
    <>
      <title>{`${index} · AOSC`}</title>
      <div className="title-row">
        <div>
          <h1>
            <bdi>{status.source_index}</bdi> → <bdi>{status.target_index}</bdi>
          </h1>
          <p className="quiet">
            alias{' '}
            <code>
              <bdi>{status.alias}</bdi>
            </code>
            , <code>{status.shard_routing_mode}</code>, started <Moment at={status.start_time_millis} />
          </p>
        </div>
        <CancelAction status={status} />
      </div>
      {error !== null && <ErrorNote error={error} title="What is shown is old" />}
      <section className="now" aria-label="What goes on">
        <PhaseBadge phase={status.phase} tone={wait === undefined ? undefined : 'wait'} />
        <div aria-live="polite">
          <p>{step.now}</p>
          <p className="quiet">Next: {step.next}</p>
          {step.act !== undefined && <p className="quiet">You: {step.act}</p>}
          {isEnding && (
            <p className="quiet">
              When it does not come to its end:{' '}
              <Link to={`/state?migration=${encodeURIComponent(status.migration_id)}`}>Clear it by hand</Link>
              .
            </p>
          )}
        </div>
      </section>
      {wait !== undefined && (
        <div className="note note-wait" role="status">
          <p className="note-title">
            It waits, since <Moment at={wait.since_millis} />
          </p>
          {wait.text !== undefined && <p className="said">{wait.text}</p>}
          <p>
            {adviceForWait(wait.reason).text} More: <DocLink page={adviceForWait(wait.reason).page} />.
          </p>
        </div>
      )}
      {status.error_message !== undefined && (
        <div className="note note-bad" role="alert">
          <p className="note-title">Why</p>
          <ErrorText text={status.error_message} />
        </div>
      )}
      <Figures status={status} />
      <PhaseTimeline transitions={status.transition_history} phase={status.phase} />
      <CutoverPanel status={status} />
      <Tabs.Root defaultValue="shards">
        <Tabs.List aria-label="Details" className="tabs">
          <Tabs.Trigger value="shards">Shards</Tabs.Trigger>
          <Tabs.Trigger value="plots">Plots</Tabs.Trigger>
          <Tabs.Trigger value="options">Options</Tabs.Trigger>
          <Tabs.Trigger value="raw">Raw status</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="shards">
          <ShardGrid index={status.source_index} shards={status.shards} />
        </Tabs.Content>
        <Tabs.Content value="plots">
          <Suspense fallback={<p className="quiet">Loading…</p>}>
            <Plots status={status} />
          </Suspense>
        </Tabs.Content>
        <Tabs.Content value="options">
          <OptionsTable status={status} />
        </Tabs.Content>
        <Tabs.Content value="raw">
          <Copyable text={JSON.stringify(status, undefined, 2)} label={`_status of ${index}`} />
        </Tabs.Content>
      </Tabs.Root>
    </>
  );
}

function NoMigration({ index }: { readonly index: string }) {
  return (
    <div className="empty">
      <h1>
        <bdi>{index}</bdi>
      </h1>
      <p>This index was never the source of a migration.</p>
      <p>
        <Link to={`/start?source=${encodeURIComponent(index)}`}>Start one</Link>, or look at{' '}
        <Link to="/">all migrations</Link>.
      </p>
    </div>
  );
}
