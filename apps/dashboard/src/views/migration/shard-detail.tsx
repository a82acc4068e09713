import { ErrorText, Note, ShardBadge } from '../../ui/parts';
import { formatExact, formatSi } from '../../format/numbers';
import { formatDuration } from '../../format/times';
import { Moment } from '../../ui/parts';
import { spansOf } from './phase-spans';
import type { Shard } from './sum-shards';
import { ShardOwner } from './shard-owner';
import { explainLimit } from '../../explain/limits';
import { hasEnded, wordForShard } from '../../explain/phase-names';

/** All that the status says of one shard, and which worker works on it. */
export function ShardDetail({
  id,
  name,
  shard,
  onClose,
}: {
  /** of the migration */
  readonly id: string;
  readonly name: string;
  readonly shard: Shard;
  readonly onClose: () => void;
}) {
  const { flow, progress } = shard;
  const isOver = hasEnded(shard.phase);
  const spans = spansOf(shard.transition_history, Date.now(), isOver);
  return (
    <section className="card stack" aria-label={`Shard ${name}`}>
      <div className="title-row">
        <h3>
          Shard {name} <ShardBadge phase={shard.phase} />
        </h3>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {shard.error !== undefined && (
        <Note kind="bad">
          <ErrorText text={shard.error} />
        </Note>
      )}
      <ShardOwner id={id} name={name} hasEnded={isOver} />
      <dl className="figures">
        <Pair name="Target has all up to operation" value={operationOf(shard.last_replayed_seq_no)} />
        <Pair name="Source is at operation" value={operationOf(shard.target_seq_no)} />
        <Pair name="First copy has all up to" value={operationOf(shard.backfill_cutoff_seq_no)} />
        {progress !== undefined && (
          <>
            <Pair name="Documents" value={formatExact(progress.total_documents)} />
            <Pair
              name="Rate"
              value={
                progress.documents_per_second === undefined
                  ? '—'
                  : formatSi(progress.documents_per_second, 'docs/s')
              }
            />
          </>
        )}
        {flow !== undefined && <Flow flow={flow} />}
      </dl>
      {flow?.last_overload !== undefined && (
        <Note kind="wait">
          <p>
            Last overload, <Moment at={flow.last_overload.at_millis} />, at a {flow.last_overload.work}:
            paused for {formatDuration(flow.last_overload.pause_ms)}. {flow.last_overload.reason}
          </p>
        </Note>
      )}
      <Counters shard={shard} />
      <ol className="history">
        {spans.map(({ phase, startMillis, durationMillis, endMillis }) => (
          <li key={`${phase} ${startMillis}`}>
            <strong>
              {wordForShard(phase)} <code className="label-code">{phase}</code>
            </strong>{' '}
            <span>{endMillis === startMillis ? '' : formatDuration(durationMillis)}</span>
            <span className="sub">
              <Moment at={startMillis} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The number of an operation; -1 stands for none yet. */
function operationOf(seqNo: number): string {
  return seqNo < 0 ? 'none yet' : formatExact(seqNo);
}

/** The load that its worker puts on the cluster. */
function Flow({ flow }: { readonly flow: NonNullable<Shard['flow']> }) {
  return (
    <>
      <Pair name="Controller" value={flow.controller} />
      <Pair
        name="Bulk"
        value={`${formatSi(flow.target_bytes, 'B')}, ${formatSi(flow.max_docs)} docs at most`}
      />
      <Pair name="Bulks at once" value={String(flow.concurrency)} />
      <Pair name="Page" value={`${formatSi(flow.page_size)} docs`} />
      {flow.bulk_latency !== undefined && (
        <Pair
          name="Time of a bulk"
          value={`${formatDuration(flow.bulk_latency.mean_ms)}, 95 % within ${formatDuration(flow.bulk_latency.p95_ms)}`}
        />
      )}
      <Pair name="Pauses" value={String(flow.pauses)} />
      {flow.limited_by !== undefined && <Pair name="What limits it" value={explainLimit(flow.limited_by)} />}
    </>
  );
}

function Pair({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Counters({ shard }: { readonly shard: Shard }) {
  const rows = [
    ['Backfill', shard.backfill],
    ['Replay', shard.replay],
    ['Convergence', shard.convergence],
    ['Catching up', shard.catching_up],
  ] as const;
  return (
    <div className="table-frame" role="region" aria-label="Counters" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Work</th>
            <th scope="col">State</th>
            {['Documents', 'Operations', 'Deletes', 'Rounds', 'Gap', 'Retries'].map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, counters]) =>
            counters === undefined ? undefined : (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{counters.status}</td>
                <td className="number">{formatExact(counters.documents_indexed ?? 0)}</td>
                <td className="number">{formatExact(counters.operations_applied ?? 0)}</td>
                <td className="number">{formatExact(counters.deletes_applied ?? 0)}</td>
                <td className="number">{counters.rounds}</td>
                <td className="number">{formatExact(counters.current_gap)}</td>
                <td className="number">{counters.bulk_retries}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
