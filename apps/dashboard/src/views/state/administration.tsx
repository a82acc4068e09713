import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { reasonAgainst, useSession } from '../../api/session';
import { ActionButton, ErrorNote } from '../../ui/parts';

/** An action by hand of an administrator: the page shows what it would do, and then offers to do it. */
export function Administration<T>({
  title,
  text,
  action,
  inputs,
  why: ownWhy,
  ask,
  countOf,
  show,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** the choices that the action is for: a dry run of other choices does not count */
  readonly inputs: string;
  readonly why?: string | undefined;
  readonly ask: (dryRun: boolean) => Promise<T>;
  /** how many things the action would change */
  readonly countOf: (answer: T) => number;
  readonly show: (answer: T) => ReactNode;
  readonly children: ReactNode;
}) {
  const session = useSession();
  const run = useMutation({
    mutationFn: async (dryRun: boolean) => ({ dryRun, inputs, answer: await ask(dryRun) }),
  });
  const [doing, setDoing] = useState<boolean>();
  const why = reasonAgainst(session, 'admin') ?? ownWhy;
  const press = (dryRun: boolean): void => {
    setDoing(dryRun);
    run.mutate(dryRun);
  };
  // A dry run of another choice says nothing of this one.
  const shown = run.data?.inputs === inputs ? run.data : undefined;
  const isReady = shown?.dryRun === true && countOf(shown.answer) > 0;
  return (
    <section className="card stack" aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p className="quiet">{text}</p>
      </div>
      {children}
      <div className="buttons">
        <ActionButton why={why} isBusy={run.isPending && doing === true} onPress={() => press(true)}>
          Show what would be done
        </ActionButton>
        {isReady && (
          <ActionButton
            kind="danger"
            why={why}
            isBusy={run.isPending && doing === false}
            onPress={() => press(false)}
          >
            {action}
          </ActionButton>
        )}
      </div>
      {run.error !== null && <ErrorNote error={run.error} />}
      {shown !== undefined && (
        <div role="status" className="stack-small">
          <h3>{shown.dryRun ? 'What would be done' : 'What was done'}</h3>
          {countOf(shown.answer) === 0 ? <p>Nothing.</p> : show(shown.answer)}
        </div>
      )}
    </section>
  );
}
