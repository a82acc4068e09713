import { describeAlias, describeIndex, describeRehearsal, type MigrationStatus } from '@aosc/client';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { explainPhase } from '../explain/next-step';
import { hasEnded, wordFor } from '../explain/phase-names';
import { formatExact, formatSi } from '../format/numbers';
import { formatDuration } from '../format/times';
import { Icon } from '../ui/icon';
import { ErrorNote, Moment, Note, PhaseBadge } from '../ui/parts';
import { CutoverAttempts } from './migration/cutover-attempts';
import { describeCopied, describePause, describeTime } from './migration/figures';
import { Pairs } from '../ui/pairs';
import { LeftToDo } from './migration/left-to-do';
import { OptionsTable } from './migration/options-table';
import { stepsOf } from './migration/steps';
import { sumShards } from './migration/sum-shards';
import { SetAsidePanel } from './migration/set-aside';
import { VerificationPanel } from './migration/verification';
import { useIndices, useMigration } from './migration/use-migration';

/** What a migration has done, for people who were not there. It prints well, and its address stays. */
export default function ReportView() {
  const { index = '', id } = useParams();
  const { status, error } = useMigration(index, id);
  if (status === undefined) {
    if (error === null) return <p className="quiet">Reading the migration…</p>;
    return <ErrorNote error={error} title="The migration can not be read" />;
  }
  if (!hasEnded(status.phase)) return <NotEnded status={status} />;
  return <Report status={status} />;
}

const addressOf = ({ source_index: source, migration_id: id }: MigrationStatus): string =>
  `/migrations/${encodeURIComponent(source)}/${encodeURIComponent(id)}`;

function NotEnded({ status }: { readonly status: MigrationStatus }) {
  return (
    <div className="empty stack-small">
      <h1>There is no report yet</h1>
      <p>
        <Link to={addressOf(status)}>The migration</Link> has not ended.
      </p>
    </div>
  );
}

function Report({ status }: { readonly status: MigrationStatus }) {
  const now = useIndices(status);
  const { source_index: source, target_index: target, migration_id: id, phase } = status;
  return (
    <article className="report stack">
      <title>{`Report of ${id} · AOSC`}</title>
      <ol className="crumbs" aria-label="Where this is">
        <li>
          <Link to="/">Migrations</Link>
        </li>
        <li>
          <Link to={addressOf(status)}>
            <bdi>{id}</bdi>
          </Link>
        </li>
        <li>Report</li>
      </ol>
      <div className="title-row">
        <h1 className="row">
          <span>
            <bdi>{source}</bdi> → <bdi>{target}</bdi>
          </span>
          <PhaseBadge phase={phase} rehearsal={status.rehearsal} />
        </h1>
        <button type="button" className="no-print" onClick={() => print()}>
          <Icon name="print" /> Print
        </button>
      </div>
      <p>{explainPhase(status).now}</p>
      {status.error_message !== undefined && (
        <Note kind={status.rehearsal?.outcome === 'exact' ? 'good' : 'bad'} title="Why">
          <p className="said">{status.error_message}</p>
        </Note>
      )}
      <Outcome status={status} />
      <SetAsidePanel status={status} />
      <VerificationPanel status={status} />
      <Part title="Left to do">
        <LeftToDo status={status} now={now} hasRequests />
      </Part>
      {now !== undefined && (
        <Part title="In the cluster">
          <Pairs
            pairs={[
              ['As of', <Moment key="at" at={now.at_millis} />],
              [`Alias ${status.alias}`, describeAlias(now)],
              [`Source ${source}`, describeIndex(now.source, id)],
              [`Target ${target}`, describeIndex(now.target, id)],
            ]}
          />
        </Part>
      )}
      <Part title="Phases">
        <Pairs
          pairs={stepsOf(phase, status.transition_history, 0)
            .filter(({ phase: step }) => !hasEnded(step))
            .map(({ phase: step, durationMillis }) => [
              `${wordFor(step)} (${step})`,
              formatDuration(durationMillis),
            ])}
        />
      </Part>
      {status.cutover?.attempts !== undefined && (
        <Part title="Cutover">
          <CutoverAttempts status={status} />
        </Part>
      )}
      <OptionsTable status={status} />
    </article>
  );
}

function Outcome({ status }: { readonly status: MigrationStatus }) {
  const { progress, cutover_context: cutover, transition_history: history } = status;
  const shards = Object.values(status.shards);
  const { replayed, deletes } = sumShards(shards);
  const end = history.at(-1)?.start_time_millis;
  return (
    <Part title="What was done">
      <Pairs
        pairs={[
          ['Started', <Moment key="start" at={status.start_time_millis} />],
          ...(status.started_by === undefined ? [] : [['Started by', status.started_by] as const]),
          ...(end === undefined ? [] : [['Ended', <Moment key="end" at={end} />] as const]),
          ...(status.cancelled_by === undefined ? [] : [['Cancelled by', status.cancelled_by] as const]),
          ['Took', describeTime(status)],
          ['Shards', `${shards.length}, ${status.shard_routing_mode}`],
          ['Copied', describeCopy(progress)],
          ['Rate', describeRates(progress)],
          ['Replayed', `${formatExact(replayed)} operations, ${formatExact(deletes)} of them deletes`],
          ['Checked', describeCheck(cutover)],
          ['Writes paused', describePause(cutover) ?? 'not at all'],
        ]}
      />
      {status.rehearsal?.found !== undefined && (
        <>
          <h3>In the rehearsal</h3>
          <Pairs pairs={describeRehearsal(status)} />
        </>
      )}
    </Part>
  );
}

function describeCopy(progress: MigrationStatus['progress']): string {
  if (progress === undefined) return 'nothing';
  const share = progress.copied_percent === undefined ? '' : `, ${progress.copied_percent} %`;
  return `${describeCopied(progress)}${share}`;
}

function describeRates(progress: MigrationStatus['progress']): string {
  const { average_documents_per_second: average, peak_documents_per_second: peak } = progress ?? {};
  if (average === undefined) return '—';
  const most = peak === undefined ? '' : `, ${formatSi(peak, 'docs/s')} at most`;
  return `${formatSi(average, 'docs/s')} on average${most}`;
}

function describeCheck(cutover: MigrationStatus['cutover_context']): string {
  const { source_doc_count: inSource, target_doc_count: inTarget } = cutover ?? {};
  if (cutover === undefined || inSource === undefined || inTarget === undefined) return 'not reached';
  const verdict = cutover.doc_count_validation_passed ? 'passed' : 'not passed';
  const accepted = inSource === inTarget ? '' : `, accepted difference ${cutover.doc_count_tolerance}`;
  return `${formatExact(inSource)} documents in the source, ${formatExact(inTarget)} in the target, under the write block: ${verdict}${accepted}`;
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="stack-small" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
