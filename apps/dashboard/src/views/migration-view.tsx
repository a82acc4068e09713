import type { MigrationStatus } from '@aosc/client';
import { Tabs } from 'radix-ui';
import { lazy, Suspense } from 'react';
import { Link, useParams } from 'react-router';
import { isStatus } from '../api/client';
import { hasEnded } from '../explain/phase-names';
import { useFleet } from '../live/fleet-context';
import { findNewer } from '../live/fleet-store';
import { Icon } from '../ui/icon';
import { Copyable, ErrorNote, ErrorText, Moment, Note, PhaseBadge } from '../ui/parts';
import { CancelAction } from './migration/cancel-action';
import { CutoverAttempts } from './migration/cutover-attempts';
import { CutoverActions } from './migration/cutover-actions';
import { ClusterPanel } from './migration/cluster-panel';
import { Figures } from './migration/figures';
import { NowPanel } from './migration/now-panel';
import { OptionsTable, RecordTable } from './migration/options-table';
import { PhaseSteps } from './migration/phase-steps';
import { ShardGrid } from './migration/shard-grid';
import { SetAsidePanel } from './migration/set-aside';
import { VerificationPanel } from './migration/verification';
import { useIndices, useMigration } from './migration/use-migration';

// Loaded when needed: few readers look at them at once, and they bring a library of their own.
const Plots = lazy(() => import('./migration/plots'));

/** One migration: by its id, or the running or the newest one of a source. */
export default function MigrationView() {
  const { index = '', id } = useParams();
  const { status, error } = useMigration(index, id);
  if (status !== undefined) return <Migration status={status} error={error} />;
  if (error === null) return <p className="quiet">Reading the status of {index}…</p>;
  if (isStatus(error, 404)) return <NoMigration index={index} id={id} />;
  return <ErrorNote error={error} title={`The status of ${index} can not be read`} />;
}

function Migration({ status, error }: { readonly status: MigrationStatus; readonly error: Error | null }) {
  const now = useIndices(status);
  return (
    <div className="stack">
      <title>{`${status.source_index} · AOSC`}</title>
      <Head status={status} />
      {error !== null && <ErrorNote error={error} title="What is shown is old" />}
      <PhaseSteps status={status} />
      <NowPanel status={status} now={now} />
      {status.error_message !== undefined &&
        (status.rehearsal?.outcome === 'exact' ? (
          <Note kind="good" title={status.error_message} />
        ) : (
          <Note kind="bad" title="Why" role="alert">
            <ErrorText text={status.error_message} />
          </Note>
        ))}
      <Figures status={status} />
      <ClusterPanel status={status} now={now} />
      <SetAsidePanel status={status} />
      <VerificationPanel status={status} />
      <Details status={status} />
    </div>
  );
}

function Head({ status }: { readonly status: MigrationStatus }) {
  const { source_index: source, target_index: target, migration_id: id, phase } = status;
  const newer = useFleet(({ migrations }) => findNewer(migrations, status));
  const base = `/migrations/${encodeURIComponent(source)}`;
  return (
    <div className="stack-small">
      <ol className="crumbs" aria-label="Where this is">
        <li>
          <Link to="/">Migrations</Link>
        </li>
        <li>
          <bdi>{id}</bdi>
        </li>
      </ol>
      <div className="title-row">
        <h1 className="row">
          <span>
            <bdi>{source}</bdi> → <bdi>{target}</bdi>
          </span>
          <PhaseBadge
            phase={phase}
            rehearsal={status.rehearsal}
            tone={status.waiting_for === undefined ? undefined : 'wait'}
          />
        </h1>
        <div className="buttons">
          {hasEnded(phase) && (
            <Link className="button-plain" to={`${base}/${encodeURIComponent(id)}/report`}>
              <Icon name="report" /> Report
            </Link>
          )}
          <CutoverActions status={status} />
          <CancelAction status={status} />
        </div>
      </div>
      <p className="quiet">
        Alias{' '}
        <code>
          <bdi>{status.alias}</bdi>
        </code>
        , <code>{status.shard_routing_mode}</code>, started <Moment at={status.start_time_millis} />
        {newer !== undefined && (
          <>
            .{' '}
            <Link to={`${base}/${encodeURIComponent(newer.migration_id)}`}>
              {source} has a newer migration
            </Link>
          </>
        )}
      </p>
    </div>
  );
}

function Details({ status }: { readonly status: MigrationStatus }) {
  return (
    <Tabs.Root defaultValue="shards" className="stack">
      <Tabs.List aria-label="Details" className="tabs">
        <Tabs.Trigger value="shards">Shards</Tabs.Trigger>
        <Tabs.Trigger value="plots">Plots</Tabs.Trigger>
        <Tabs.Trigger value="cutover">Cutover</Tabs.Trigger>
        <Tabs.Trigger value="options">Options</Tabs.Trigger>
        <Tabs.Trigger value="raw">Raw status</Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="shards" className="stack">
        <ShardGrid id={status.migration_id} shards={status.shards} />
      </Tabs.Content>
      <Tabs.Content value="plots">
        <Suspense fallback={<p className="quiet">Loading…</p>}>
          <Plots status={status} />
        </Suspense>
      </Tabs.Content>
      <Tabs.Content value="cutover">
        <CutoverAttempts status={status} />
      </Tabs.Content>
      <Tabs.Content value="options" className="stack">
        <OptionsTable status={status} />
        <RecordTable status={status} />
      </Tabs.Content>
      <Tabs.Content value="raw">
        <Copyable text={JSON.stringify(status, undefined, 2)} label={`Status of ${status.migration_id}`} />
      </Tabs.Content>
    </Tabs.Root>
  );
}

function NoMigration({ index, id }: { readonly index: string; readonly id: string | undefined }) {
  return (
    <div className="empty stack-small">
      <h1>
        <bdi>{id ?? index}</bdi>
      </h1>
      <p>
        {id === undefined ? 'This index was never the source of a migration.' : 'There is no such migration.'}
      </p>
      <p>
        <Link to={`/start?source=${encodeURIComponent(index)}`}>Start one</Link>, or look at{' '}
        <Link to="/">all migrations</Link>.
      </p>
    </div>
  );
}
