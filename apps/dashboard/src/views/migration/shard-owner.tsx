import type { ShardDetail } from '@aosc/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client';
import { formatExact } from '../../format/numbers';
import { formatAgo } from '../../format/times';
import { ErrorNote, Moment } from '../../ui/parts';

const refreshMs = 3_000;

/** Which worker works on a shard, and on which snapshots; loaded while it is shown. */
export function ShardOwner({
  id,
  name,
  hasEnded,
}: {
  /** of the migration */
  readonly id: string;
  readonly name: string;
  readonly hasEnded: boolean;
}) {
  const { data, error } = useQuery({
    queryKey: ['shard', id, name, hasEnded],
    queryFn: ({ signal }) => client.migrationShard(id, Number(name), { signal }),
    refetchInterval: hasEnded ? false : refreshMs,
  });
  if (data === undefined) {
    return error === null ? (
      <p className="quiet">Asking who works on it…</p>
    ) : (
      <ErrorNote error={error} title="Who works on it can not be read" />
    );
  }
  return (
    <>
      {error !== null && <ErrorNote error={error} title="What is shown is old" />}
      <Owner detail={data} />
      <Snapshots detail={data} />
    </>
  );
}

function Owner({ detail: { owner, owners_lost: lost, epoch, primary } }: { readonly detail: ShardDetail }) {
  return (
    <dl className="figures">
      <div>
        <dt>Worker</dt>
        <dd>
          {owner === undefined ? 'none at the moment' : (owner.process ?? `job ${owner.id}`)}
          {owner !== undefined && (
            <span className="sub">
              {owner.since_millis !== undefined && (
                <>
                  since <Moment at={owner.since_millis} />,{' '}
                </>
              )}
              last sign of life {formatAgo(Date.now() - owner.heartbeat_at_millis)}
            </span>
          )}
        </dd>
      </div>
      <div>
        <dt>Written through fence no.</dt>
        <dd>
          {epoch}
          {lost > 0 && <span className="sub">{lost} owners lost</span>}
        </dd>
      </div>
      {primary !== undefined && (
        <div>
          <dt>Primary of the source</dt>
          <dd>
            {primary.node_id === undefined ? 'on no node' : <code>{primary.node_id}</code>}
            <span className="sub">{primary.state}</span>
          </dd>
        </div>
      )}
    </dl>
  );
}

function Snapshots({ detail }: { readonly detail: ShardDetail }) {
  const { snapshots, snapshots_to_close: closing, snapshots_lost: lost } = detail;
  return (
    <>
      <h4>
        {snapshots.length === 0 ? 'No open snapshot' : `Open snapshots: ${snapshots.length}`}
        {(closing > 0 || lost > 0) && (
          <span className="sub">{` ${closing} to close, ${lost} lost so far`}</span>
        )}
      </h4>
      {snapshots.length > 0 && (
        <div className="table-frame" role="region" aria-label="Open snapshots" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Snapshot</th>
                <th scope="col">Opened</th>
                <th scope="col">On node</th>
                <th scope="col">Holds</th>
                <th scope="col" className="number">
                  Up to
                </th>
                <th scope="col" className="number">
                  Documents
                </th>
              </tr>
            </thead>
            <tbody>
              {snapshots.map((snapshot) => (
                <tr key={snapshot.work}>
                  <th scope="row">{snapshot.work === 'current' ? 'in work' : 'next'}</th>
                  <td>
                    <Moment at={snapshot.opened_at_millis} />
                  </td>
                  <td>
                    <code>{snapshot.node_id}</code>
                  </td>
                  <td>{wordsFor(snapshot.is_pinned)}</td>
                  <td className="number">{formatExact(snapshot.checkpoint)}</td>
                  <td className="number">{formatExact(snapshot.document_count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function wordsFor(isPinned: boolean | undefined): string {
  if (isPinned === undefined) return '—';
  return isPinned ? 'the primary' : 'a copy that is not the primary any more';
}
