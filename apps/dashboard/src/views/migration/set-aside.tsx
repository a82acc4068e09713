import type { MigrationStatus } from '@aosc/client';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../api/client';
import { reasonAgainst, useSession } from '../../api/session';
import { formatExact } from '../../format/numbers';
import { Pairs } from '../../ui/pairs';
import { ActionButton, ErrorNote, Moment } from '../../ui/parts';

/** The documents that the target refuses, and what a person can do about them before the swap. */
export function SetAsidePanel({ status }: { readonly status: MigrationStatus }) {
  const { source_index: source, set_aside: aside, phase, cutover } = status;
  const session = useSession();
  const retry = useMutation({ mutationFn: () => client.retrySetAside(source) });
  const accept = useMutation({
    mutationFn: (digest: string) => client.cutover(source, { accept_set_aside: digest }),
  });
  if (aside === undefined) return null;
  const { count, digest, reasons, accepted } = aside;
  const isAccepted = accepted?.digest === digest;
  const why = reasonAgainst(session, 'operate');
  return (
    <section className="stack-small" aria-label="Documents that the target refuses">
      <h2>Documents that the target refuses</h2>
      {count === 0 && <p className="quiet">None is set aside.</p>}
      {count > 0 && (
        <>
          <ul>
            {reasons.map(({ type, reason, count: of, sample_ids: ids }) => (
              <li key={`${type} ${reason}`}>
                {formatExact(of)} with {type}: <bdi>{reason}</bdi>{' '}
                <code>
                  <bdi>{ids.join(', ')}</bdi>
                </code>
                {of > ids.length && ', …'}
              </li>
            ))}
          </ul>
          <Pairs
            pairs={[
              ['Digest', <code key="digest">{digest}</code>],
              ['Accepted', isAccepted ? <Moment key="accepted" at={accepted.at_millis} /> : undefined],
              ['Accepted by', isAccepted ? accepted.by : undefined],
            ]}
          />
        </>
      )}
      {retry.error !== null && <ErrorNote error={retry.error} title="They are not written again" />}
      {accept.error !== null && <ErrorNote error={accept.error} title="They are not accepted" />}
      {count > 0 && (phase === 'ACTIVE' || phase === 'PREPARING_TARGET') && (
        <div className="buttons no-print">
          <ActionButton why={why} isBusy={retry.isPending} onPress={() => retry.mutate()}>
            Write them again
          </ActionButton>
          {!isAccepted && (
            <ActionButton why={why} isBusy={accept.isPending} onPress={() => accept.mutate(digest)}>
              {/* An order from before stays: what was postponed is not approved by this. */}
              {cutover?.order?.type === 'postponed' ? 'Accept' : 'Cut over without'} these{' '}
              {formatExact(count)} documents
            </ActionButton>
          )}
        </div>
      )}
    </section>
  );
}
