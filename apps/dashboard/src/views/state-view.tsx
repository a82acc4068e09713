import type { LeaseCleanup, StateClearing } from '@aosc/client';
import { type ReactNode, useId, useState } from 'react';
import { useSearchParams } from 'react-router';
import { client } from '../api/client';
import { wordFor } from '../explain/phase-names';
import { useFleet } from '../live/fleet-context';
import type { FleetState } from '../live/fleet-store';
import { Choice, type Option } from '../ui/choice';
import { DocLink } from '../ui/doc-link';
import { Copyable, Fold } from '../ui/parts';
import { Administration } from './state/administration';

const migrationsOf = ({ migrations }: FleetState) => migrations;

/** Clears by hand what a cancel does not end; each action is shown first. */

export default function StateView() {
  const [index, setIndex] = useState('');
  const [includeActive, setIncludeActive] = useState(false);
  // A link of a migration names it.
  const [params] = useSearchParams();
  const [migration, setMigration] = useState(params.get('migration') ?? '');
  const [undo, setUndo] = useState(true);
  const all = [...useFleet(migrationsOf).values()];
  const running = all.filter(({ is_terminal: isOver }) => !isOver);
  const id = migration.trim();
  return (
    <div className="stack">
      <title>State · AOSC</title>
      <div>
        <h1>Leases and state</h1>
        <p className="quiet">
          For when neither a cancel nor a failure ends a migration. When to use which:{' '}
          <DocLink page="docs/how-to/clean-up-by-hand.md" />.
        </p>
      </div>
      <Administration
        title="Clear a migration that is stuck"
        text="Ends its jobs, lifts the write block, gives the target its settings back, and marks the migration as ended."
        action="Clear it"
        inputs={`${id} ${undo}`}
        why={id === '' ? 'Choose the migration.' : undefined}
        ask={(dryRun) => client.clearState({ dryRun, detailed: true, undo, migrationId: id })}
        countOf={({ migrations }) => Object.keys(migrations).length}
        show={(answer) => <Cleared answer={answer} />}
      >
        <Pick
          label="Migration"
          help={
            running.length === 0
              ? 'No migration runs at the moment.'
              : 'Those that run. An id of another one can be pasted.'
          }
          value={migration}
          options={running.map(({ migration_id: value, phase }) => ({ value, note: wordFor(phase) }))}
          onChange={setMigration}
        />
        <Check
          label="Lift the write block, and give the target its settings back"
          isOn={undo}
          onChange={setUndo}
        />
      </Administration>
      <Administration
        title="Release leases that migrations have left behind"
        text="A lease is a snapshot of a shard: it keeps deleted documents on the disk. Those of running migrations are left out unless you say otherwise."
        action="Release them"
        inputs={`${index} ${includeActive}`}
        ask={(dryRun) => {
          const wanted = index.trim();
          return client.cleanupLeases({ dryRun, includeActive, ...(wanted !== '' && { index: wanted }) });
        }}
        countOf={({ leases }) => leases.length}
        show={(answer) => <Leases answer={answer} />}
      >
        <Pick
          label="Index"
          help="Left empty: every index."
          value={index}
          options={[...new Set(all.map(({ source_index: source }) => source))]
            .sort()
            .map((value) => ({ value }))}
          onChange={setIndex}
        />
        <Check label="Those of running migrations as well" isOn={includeActive} onChange={setIncludeActive} />
      </Administration>
    </div>
  );
}

function Leases({ answer: { leases, truncated } }: { readonly answer: LeaseCleanup }) {
  return (
    <>
      <Table
        title="Leases"
        head={['Index', 'Shard', 'Lease', 'Result']}
        rows={leases.map(({ index, shard, lease_id: lease, released, error }) => ({
          key: lease,
          cells: [
            index,
            String(shard),
            <code key="id">{lease}</code>,
            error ?? (released ? 'released' : 'would be released'),
          ],
        }))}
      />
      {truncated && <p className="quiet">There are more: do it again afterwards.</p>}
    </>
  );
}

const words = { would_clear: 'would be cleared', cleared: 'cleared', not_found: 'not there' } as const;

function Cleared({ answer }: { readonly answer: StateClearing }) {
  return (
    <>
      <Table
        title="Migrations"
        head={['Migration', 'Phase', 'Record', 'Jobs', 'Result']}
        rows={Object.entries(answer.migrations).map(([id, row]) => ({
          key: id,
          cells: [
            <code key="id">{id}</code>,
            row.phase === undefined ? '—' : wordFor(row.phase),
            words[row.cluster_state],
            words[row.active_migrations],
            row.error ?? (row.closed ? 'closed' : '—'),
          ],
        }))}
      />
      <Fold title="As the API has answered it">
        <Copyable label="JSON" text={JSON.stringify(answer, undefined, 2)} />
      </Fold>
    </>
  );
}

function Table({
  title,
  head,
  rows,
}: {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}) {
  return (
    <div className="table-frame" role="region" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={head[at]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Pick({
  label,
  help,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly help: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field narrow">
      <label htmlFor={id}>{label}</label>
      <Choice id={id} value={value} options={options} describedBy={`${id}-help`} onChange={onChange} />
      <p id={`${id}-help`} className="help">
        {help}
      </p>
    </div>
  );
}

function Check({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      <span>{label}</span>
    </label>
  );
}
