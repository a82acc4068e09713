import type { MigrationStatus } from '@aosc/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client';
import { reasonAgainst, useSession } from '../../api/session';
import { explainCancel } from '../../explain/next-step';
import { hasEnded, isUndone } from '../../explain/phase-names';
import { Dialog } from '../../ui/dialog';
import { ActionButton, ErrorNote } from '../../ui/parts';

/** Asks before it cancels. There is no button once the migration can only end: a reason below it would move the page. */
export function CancelAction({ status }: { readonly status: MigrationStatus }) {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const session = useSession();
  const cancel = useMutation({
    mutationFn: () => client.cancel(status.source_index),
    onSuccess: () => {
      setOpen(false);
      return queries.invalidateQueries({ queryKey: ['status'] });
    },
  });
  const why = reasonAgainst(session, 'operate');
  const { happens, stays } = explainCancel(status);
  const { phase, meta } = status;
  if (hasEnded(phase) || isUndone(phase) || meta['alias.swapped'] === 'true') return undefined;
  return (
    <>
      <ActionButton kind="danger" why={why} onPress={() => setOpen(true)}>
        Cancel the migration
      </ActionButton>
      <Dialog
        title={`Cancel the migration of ${status.source_index}?`}
        isOpen={isOpen}
        onClose={() => {
          setOpen(false);
          cancel.reset();
        }}
      >
        <h3>What happens</h3>
        <ul>
          {happens.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <h3>What stays</h3>
        <ul>
          {stays.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        {cancel.error !== null && <ErrorNote error={cancel.error} title="It was not cancelled" />}
        <div className="buttons">
          <ActionButton onPress={() => setOpen(false)}>Go on migrating</ActionButton>
          <ActionButton kind="danger" isBusy={cancel.isPending} why={why} onPress={() => cancel.mutate()}>
            Cancel it
          </ActionButton>
        </div>
      </Dialog>
    </>
  );
}
