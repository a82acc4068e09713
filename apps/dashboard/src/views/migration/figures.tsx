import type { MigrationStatus } from '@aosc/client';
import { hasEnded } from '../../explain/phase-names';
import { formatExact, formatSi } from '../../format/numbers';
import { formatDuration } from '../../format/times';
import { Bar } from '../../ui/parts';
import { sumShards } from './sum-shards';

/** The migration in a few numbers, which stand still after its end. */
export function Figures({ status }: { readonly status: MigrationStatus }) {
  const { progress, phase, cutover_context: cutover } = status;
  const isOver = hasEnded(phase);
  const { gap, retries, deletes, replayed, pauses } = sumShards(Object.values(status.shards));
  const shards = Object.keys(status.shards).length;
  const rate = isOver ? progress?.average_documents_per_second : progress?.documents_per_second;
  return (
    <section className="stack-small" aria-label="Figures">
      <div className="card copied">
        <h2>Copied</h2>
        <Bar percent={progress?.copied_percent} label="Copied" />
        <p className="quiet">
          {progress === undefined ? 'Nothing is counted yet.' : describeCopied(progress)}
          {progress !== undefined &&
            progress.shards_known < shards &&
            ` in ${progress.shards_known} of ${shards} shards`}
          {isOver ? '' : describeRest(progress?.remaining_seconds)}
        </p>
      </div>
      <dl className="figures figures-8">
        <Figure name={isOver ? 'Rate, average' : 'Rate'} value={inSi(rate, 'docs/s')} />
        {isOver ? (
          <Figure name="Rate, peak" value={inSi(progress?.peak_documents_per_second, 'docs/s')} />
        ) : (
          <Figure name="Bytes" value={inSi(progress?.bytes_per_second, 'B/s')} />
        )}
        <Figure name="Gap" value={inSi(gap, 'ops')} />
        <Figure name="Replayed" value={formatSi(replayed, 'ops')} />
        <Figure name="Deletes" value={formatSi(deletes)} />
        <Figure name="Bulks retried" value={formatSi(retries)} />
        {isOver ? (
          <Figure name="Took" value={describeTime(status)} />
        ) : (
          <Figure name="Overload pauses" value={formatSi(pauses)} />
        )}
        <Figure name="Writes paused" value={describePause(cutover)} />
      </dl>
    </section>
  );
}

/** How many documents were copied of how many. */
export const describeCopied = ({
  documents_indexed: copied,
  total_documents: total,
}: NonNullable<MigrationStatus['progress']>): string =>
  `${formatExact(copied)} of ${formatExact(total)} ${total === 1 ? 'document' : 'documents'}`;

const inSi = (value: number | undefined, unit: string): string | undefined =>
  value === undefined ? undefined : formatSi(value, unit);

function describeRest(seconds: number | undefined): string {
  if (seconds === undefined || seconds === 0) return '';
  return `, ${formatDuration(seconds * 1000)} left`;
}

/** From the start to the end. */
export function describeTime({
  transition_history: history,
  start_time_millis: start,
}: MigrationStatus): string {
  return formatDuration((history.at(-1)?.start_time_millis ?? start) - start);
}

/** How long writes were refused. @returns undefined: they were not, or still are */
export function describePause(cutover: MigrationStatus['cutover_context']): string | undefined {
  if (cutover?.cutover_end_millis === undefined) return undefined;
  return formatDuration(cutover.cutover_end_millis - cutover.cutover_start_millis);
}

function Figure({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value ?? '—'}</dd>
    </div>
  );
}
