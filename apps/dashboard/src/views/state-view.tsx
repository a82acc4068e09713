import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { cleanupLeases, clearState } from '../api/endpoints';
import { reasonAgainst, useSession } from '../api/session';
import { DocLink } from '../ui/doc-link';
import { ActionButton, Copyable, ErrorNote } from '../ui/parts';
import { Field } from './start/fields';

/** What is taken away by hand when a cancel does not help: each time a dry run first. */
export default function StateView() {
  const [index, setIndex] = useState('');
  const [includeActive, setIncludeActive] = useState(false);
  // A link of a migration names it.
  const [params] = useSearchParams();
  const [migration, setMigration] = useState(params.get('migration') ?? '');
  const [undo, setUndo] = useState(true);
  return (
    <>
      <title>State · AOSC</title>
      <h1>Leases and state</h1>
      <p className="quiet">
        For when neither a cancel nor a failure ends a migration. When to use which:{' '}
        <DocLink page="docs/how-to/clean-up-by-hand.md" />.
      </p>
      <Administration
        title="Leases that migrations have left behind"
        text="A lease is a snapshot of a shard: it keeps deleted documents on the disk. Those of migrations that run are left alone unless you say otherwise."
        action="Release them"
        inputs={`${index} ${includeActive}`}
        ask={(dryRun) =>
          cleanupLeases({
            dry_run: String(dryRun),
            include_active: String(includeActive),
            ...(index.trim() === '' ? {} : { index: index.trim() }),
          })
        }
      >
        <Field label="Index" help="Left empty: every index." value={index} onChange={setIndex} />
        <Check label="Those of running migrations as well" isOn={includeActive} onChange={setIncludeActive} />
      </Administration>
      <Administration
        title="Clear a migration that is stuck"
        text="Ends its jobs, lifts the write block, gives the target its settings back, and marks the migration as ended."
        action="Clear it"
        inputs={`${migration} ${undo}`}
        why={migration.trim() === '' ? 'Name the migration: without a name all would be cleared.' : undefined}
        ask={(dryRun) =>
          clearState({
            dry_run: String(dryRun),
            detailed: 'true',
            undo: String(undo),
            migration_id: migration.trim(),
          })
        }
      >
        <Field
          label="Id of the migration"
          help="As in the raw status: migration_id."
          value={migration}
          onChange={setMigration}
        />
        <Check
          label="Lift the write block, and give the target its settings back"
          isOn={undo}
          onChange={setUndo}
        />
      </Administration>
    </>
  );
}

function Administration({
  title,
  text,
  action,
  inputs,
  why: ownWhy,
  ask,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** what was asked for: a dry run of something else does not count */
  readonly inputs: string;
  readonly why?: string | undefined;
  readonly ask: (dryRun: boolean) => Promise<unknown>;
  readonly children: ReactNode;
}) {
  const session = useSession();
  const [shownFor, setShownFor] = useState<string>();
  const run = useMutation({
    mutationFn: ask,
    onSuccess: (_answer, dryRun) => setShownFor(dryRun ? inputs : undefined),
  });
  const why = reasonAgainst(session, 'admin') ?? ownWhy;
  return (
    <section className="part" aria-label={title}>
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
      <div className="buttons">
        <ActionButton why={why} isBusy={run.isPending} onPress={() => run.mutate(true)}>
          Show what would be done
        </ActionButton>
        <ActionButton
          kind="danger"
          why={why ?? (shownFor === inputs ? undefined : 'Look at what would be done first.')}
          isBusy={run.isPending}
          onPress={() => run.mutate(false)}
        >
          {action}
        </ActionButton>
      </div>
      {run.error !== null && <ErrorNote error={run.error} />}
      {run.data !== undefined && (
        <div role="status">
          <Copyable
            label={run.variables ? 'What would be done' : 'What was done'}
            text={JSON.stringify(run.data, undefined, 2)}
          />
        </div>
      )}
    </section>
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
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} /> {label}
    </label>
  );
}
