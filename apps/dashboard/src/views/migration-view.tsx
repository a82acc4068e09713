import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Tabs } from 'radix-ui';
import { useEffect } from 'react';
import { Link, useParams } from 'react-router';
import { readStatus } from '../api/endpoints';
import { ApiError } from '../api/errors';
import { adviceForWait } from '../explain/advice';
import { explainPhase } from '../explain/next-step';
import { useFleet } from '../live/fleet-context';
import { findBySource } from '../live/fleet-store';
import { Copyable, ErrorNote, ErrorText, Moment, PhaseBadge } from '../ui/parts';
import { CancelAction } from './migration/cancel-action';
import { CutoverPanel } from './migration/cutover-panel';
import { Figures } from './migration/figures';
import { OptionsTable } from './migration/options-table';
import { PhaseTimeline } from './migration/phase-timeline';
import { Plots } from './migration/plots';
import { ShardGrid } from './migration/shard-grid';

/** Asked in any case, when the stream says nothing. */
const pollMs = 10_000;

/** One migration: the running or the newest one of a source. */
// eslint-disable-next-line max-lines-per-function -- the markup of one view, from top to bottom
export default function MigrationView() {
  const { index = '' } = useParams();
  const { migrations, liveness } = useFleet();
  const known = findBySource(migrations, index);
  const queries = useQueryClient();
  const { data: status, error } = useQuery({
    queryKey: ['status', index],
    queryFn: ({ signal }) => readStatus(index, signal),
    refetchInterval: liveness.state === 'live' ? false : pollMs,
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
  return (
    <>
      <title>{`${index} · AOSC`}</title>
      <div className="title-row">
        <div>
          <h1>
            {status.source_index} <span aria-label="to">→</span> {status.target_index}
          </h1>
          <p className="quiet">
            alias <code>{status.alias}</code>, <code>{status.shard_routing_mode}</code>, started{' '}
            <Moment at={status.start_time_millis} />
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
        </div>
      </section>
      {wait !== undefined && (
        <div className="note note-wait" role="status">
          <p className="note-title">
            It waits, since <Moment at={wait.since_millis} />
          </p>
          {wait.text !== undefined && <p className="said">{wait.text}</p>}
          <p>
            {adviceForWait(wait.reason).text} More in <code>{adviceForWait(wait.reason).page}</code>.
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
          <Plots status={status} />
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
      <h1>{index}</h1>
      <p>This index was never the source of a migration.</p>
      <p>
        <Link to={`/start?source=${encodeURIComponent(index)}`}>Start one</Link>, or look at{' '}
        <Link to="/">all migrations</Link>.
      </p>
    </div>
  );
}
