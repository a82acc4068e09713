import { memo, useDeferredValue, useMemo, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { formatSi } from '../format/numbers';
import { formatDuration } from '../format/times';
import {
  countGroups,
  type FleetFilter,
  filterFleet,
  groupOf,
  groups,
  progressOf,
  readFilter,
  type Sort,
  sorts,
  writeFilter,
} from '../live/filter-fleet';
import { useFleet } from '../live/fleet-context';
import type { FleetItem, FleetState } from '../live/fleet-store';
import { Icon } from '../ui/icon';
import { Menu } from '../ui/menu';
import { Bar, Moment, Note, PhaseBadge } from '../ui/parts';

/** Rows that are shown at once: more rows cost time at each update, and people do not read that many. */
const pageSize = 100;

const sortNames: Readonly<Record<Sort, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name',
  progress: 'Progress',
  gap: 'Largest gap',
  rate: 'Fastest',
  remaining: 'Longest to go',
};

const whole = (state: FleetState): FleetState => state;

const groupNames = {
  running: 'Running',
  waiting: 'Waiting',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const satisfies Record<(typeof groups)[number], string>;

/** All migrations, as they change. */

export function FleetView() {
  const { migrations, totals, atMillis, liveness } = useFleet(whole);
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => readFilter(params), [params]);
  const [shown, setShown] = useState(pageSize);
  const change = (parts: Partial<FleetFilter>): void => {
    setShown(pageSize);
    setParams(writeFilter({ ...filter, ...parts }), { replace: true });
  };
  const all = useDeferredValue(migrations);
  const rows = useMemo(() => filterFleet(all.values(), filter), [all, filter]);
  const first = useMemo(() => rows.slice(0, shown), [rows, shown]);
  const counts = useMemo(() => countGroups(all.values()), [all]);
  return (
    <div className="stack">
      <title>Migrations · AOSC</title>
      <div className="title-row">
        <h1>Migrations</h1>
        <Link className="button-main" to="/start">
          <Icon name="plus" /> Start a migration
        </Link>
      </div>
      {liveness.state === 'trouble' && (
        <Note kind="wait" role="alert" title="What is shown may be old.">
          <p>{liveness.reason}.</p>
        </Note>
      )}
      <div className="filters">
        <label className="search">
          <span className="hidden">Search</span>
          <input
            type="search"
            value={filter.text}
            placeholder="Search by source, target or alias"
            onChange={({ target }) => change({ text: target.value })}
          />
        </label>
        <div className="chips" role="group" aria-label="State">
          <Chip isOn={filter.group === undefined} onPress={() => change({ group: undefined })}>
            All {all.size}
          </Chip>
          {groups.map((group) => (
            <Chip key={group} isOn={filter.group === group} onPress={() => change({ group })}>
              {groupNames[group]} {counts[group]}
            </Chip>
          ))}
        </div>
        <Menu
          label="Sort"
          value={filter.sort}
          choices={sorts}
          nameOf={(sort) => sortNames[sort]}
          onChoose={(sort) => change({ sort })}
        />
      </div>
      {atMillis === undefined ? (
        <p className="quiet">Waiting for the first answer…</p>
      ) : rows.length === 0 ? (
        <Nothing isFiltered={all.size > 0} />
      ) : (
        <FleetTable rows={first} />
      )}
      {rows.length > shown && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(pageSize, rows.length - shown)} more of {rows.length}
        </button>
      )}
      {totals.truncated && (
        <p className="quiet">
          These are the newest 500, and all that run. The others are reached by their ids.
        </p>
      )}
    </div>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <p className="quiet">No migration fits the search.</p>;
  return (
    <div className="empty stack-small">
      <h2>There is no migration yet.</h2>
      <p>
        <Link to="/start">Start one</Link>: it copies an index into a new one while applications write, and
        moves the alias at the end.
      </p>
    </div>
  );
}

function Chip({
  isOn,
  onPress,
  children,
}: {
  readonly isOn: boolean;
  readonly onPress: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <button type="button" className="chip" aria-pressed={isOn} onClick={onPress}>
      {children}
    </button>
  );
}

/** The roles are explicit: on a narrow screen each row is a card, and such styles remove the roles. */
const FleetTable = memo(function FleetTable({ rows }: { readonly rows: readonly FleetItem[] }) {
  return (
    <div className="table-frame" role="region" aria-label="Migrations" tabIndex={0}>
      <table className="fleet" role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">
              Source → target
            </th>
            <th scope="col" role="columnheader">
              State
            </th>
            <th scope="col" role="columnheader">
              Copied
            </th>
            <th scope="col" role="columnheader" className="number">
              Rate
            </th>
            <th scope="col" role="columnheader" className="number">
              Gap
            </th>
            <th scope="col" role="columnheader" className="number">
              To go, or took
            </th>
            <th scope="col" role="columnheader">
              Started
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((migration) => (
            <Row key={migration.migration_id} migration={migration} />
          ))}
        </tbody>
      </table>
    </div>
  );
});

/** Drawn again only when its migration has changed. */
const Row = memo(function Row({ migration }: { readonly migration: FleetItem }) {
  const { source_index: source, target_index: target, alias, phase, progress, gap } = migration;
  const waiting = migration.waiting_for;
  const isOver = migration.is_terminal;
  const rate = isOver ? progress?.average_documents_per_second : progress?.documents_per_second;
  const left = isOver ? undefined : progress?.remaining_seconds;
  const address = `/migrations/${encodeURIComponent(source)}/${encodeURIComponent(migration.migration_id)}`;
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        <Link to={address}>
          <bdi>{source}</bdi>
        </Link>
        <span className="sub">
          → <bdi>{target}</bdi>, alias <bdi>{alias}</bdi>
        </span>
      </th>
      <td role="cell">
        <PhaseBadge phase={phase} tone={groupOf(migration) === 'waiting' ? 'wait' : undefined} />
        {waiting !== undefined && <span className="sub">waits for: {waiting.text ?? waiting.reason}</span>}
        {migration.error_message !== undefined && (
          <span className="sub said-short">{migration.error_message}</span>
        )}
      </td>
      <td role="cell">
        <Bar percent={progressOf(migration)} label={`Copied of ${source}`} />
      </td>
      <td role="cell" data-label="Rate" className="number">
        {rate === undefined ? '—' : formatSi(rate, 'docs/s')}
      </td>
      <td role="cell" data-label="Gap" className="number">
        {gap === undefined || isOver ? '—' : formatSi(gap, 'ops')}
      </td>
      <td role="cell" data-label={isOver ? 'Took' : 'To go'} className="number">
        {left !== undefined
          ? formatDuration(left * 1000)
          : isOver
            ? formatDuration(migration.elapsed_seconds * 1000)
            : '—'}
      </td>
      <td role="cell" data-label="Started">
        <Moment at={migration.start_time_millis} />
      </td>
    </tr>
  );
});
