import type { CutoverRequest, MigrationStatus } from '@aosc/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client';
import { reasonAgainst, useSession } from '../../api/session';
import { formatMoment } from '../../format/times';
import { Dialog } from '../../ui/dialog';
import { ActionButton, ErrorNote } from '../../ui/parts';

/** There is nothing to order any more. */
const hasBegun: readonly NonNullable<MigrationStatus['cutover']>['state'][] = [
  'attempting',
  'done',
  'given_up',
];

/** Approve, or begin at once, with what will happen; and postpone. There is nothing to press once the cutover has begun. */
export function CutoverActions({ status }: { readonly status: MigrationStatus }) {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const session = useSession();
  const order = useMutation({
    mutationFn: (request: CutoverRequest) => client.cutover(status.source_index, request),
    onSuccess: () => {
      setOpen(false);
      return queries.invalidateQueries({ queryKey: ['status'] });
    },
  });
  const { cutover, source_index: source, target_index: target, alias } = status;
  const why = reasonAgainst(session, 'operate');
  const isOver = cutover === undefined || hasBegun.includes(cutover.state);
  if (isOver || status.options.rehearse === true) return undefined;
  if (cutover.waits_for === undefined) {
    return (
      <ActionButton why={why} isBusy={order.isPending} onPress={() => order.mutate({ postpone: true })}>
        Postpone the cutover
      </ActionButton>
    );
  }
  const { next_attempt_millis: next } = cutover;
  return (
    <>
      <ActionButton kind="main" why={why} onPress={() => setOpen(true)}>
        {next === undefined ? 'Approve the cutover' : 'Begin the cutover now'}
      </ActionButton>
      <Dialog
        title={`Move ${alias} from ${source} to ${target}?`}
        isOpen={isOpen}
        onClose={() => {
          setOpen(false);
          order.reset();
        }}
      >
        <h3>What happens</h3>
        <ul>
          <li>When every gap is small, {source} takes no writes for a moment: applications try again.</li>
          <li>Each shard replays what is left, and the counts are compared.</li>
          <li>
            {alias} moves to {target} in one step. If anything is in doubt, it stays, and writes go on.
          </li>
          {next !== undefined && (
            <li>
              It does not wait until {formatMoment(next)}, for which {cutover.waits_for} asks.
            </li>
          )}
        </ul>
        {order.error !== null && <ErrorNote error={order.error} title="It was not ordered" />}
        <div className="buttons">
          <ActionButton onPress={() => setOpen(false)}>Leave it waiting</ActionButton>
          <ActionButton
            kind="main"
            isBusy={order.isPending}
            why={why}
            onPress={() => order.mutate(next === undefined ? {} : { force: true })}
          >
            {next === undefined ? 'Approve it' : 'Begin it now'}
          </ActionButton>
        </div>
      </Dialog>
    </>
  );
}
