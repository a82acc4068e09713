import type { StatusDocument } from '@aosc/contract';
import { formatExact, formatSi } from '../../format/numbers';
import { formatDuration } from '../../format/times';
import { Bar } from '../../ui/parts';
import { sumShards } from './sum-shards';

/** The migration in a few numbers. */
export function Figures({ status }: { readonly status: StatusDocument }) {
  const { progress } = status;
  const { gap, retries, deletes, pauses } = sumShards(Object.values(status.shards));
  const shards = Object.keys(status.shards).length;
  const expected =
    progress === undefined || progress.shards_known === 0
      ? undefined
      : (progress.total_documents * shards) / progress.shards_known;
  const part =
    status.phase === 'COMPLETED'
      ? 1
      : progress === undefined || expected === undefined
        ? undefined
        : expected === 0
          ? 1
          : Math.min(1, progress.documents_indexed / expected);
  return (
    <dl className="figures">
      <div className="wide">
        <dt>Copied</dt>
        <dd>
          <Bar part={part} label="Copied" />
          {progress !== undefined && (
            <span className="sub">
              {formatExact(progress.documents_indexed)} of {formatExact(progress.total_documents)} documents
              {progress.shards_known < shards && ` in ${progress.shards_known} of ${shards} shards`}
            </span>
          )}
        </dd>
      </div>
      <Figure name="Rate" value={progress && formatSi(progress.documents_per_second, 'docs/s')} />
      <Figure name="Bytes" value={progress && formatSi(progress.bytes_per_second, 'B/s')} />
      <Figure name="Copy done in" value={describeRest(progress?.remaining_seconds)} />
      <Figure name="Gap" value={gap === undefined ? undefined : `${formatSi(gap)} ops`} />
      <Figure name="Deletes replayed" value={formatSi(deletes)} />
      <Figure name="Bulks tried again" value={formatSi(retries)} />
      <Figure name="Pauses" value={formatSi(pauses)} />
    </dl>
  );
}

/** @param seconds undefined: unknown; 0: nothing is left, however long ago that was */
function describeRest(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined;
  return seconds === 0 ? 'done' : formatDuration(seconds * 1000);
}

function Figure({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value ?? '—'}</dd>
    </div>
  );
}
