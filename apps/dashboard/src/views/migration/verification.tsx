import type { MigrationStatus, Verification } from '@aosc/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, isStatus } from '../../api/client';
import { reasonAgainst, useSession } from '../../api/session';
import { formatExact } from '../../format/numbers';
import { useFleet } from '../../live/fleet-context';
import { findNewer } from '../../live/fleet-store';
import { Pairs } from '../../ui/pairs';
import { ActionButton, ErrorNote, Moment } from '../../ui/parts';
import { awaitsMore } from './awaits-more';

const shownSamples = 20;

/** The newest verification of a migration: how far it is, what it has found, and at its end the certificate. */
export function VerificationPanel({ status }: { readonly status: MigrationStatus }) {
  const { migration_id: id, source_index: source, options, phase } = status;
  // Most migrations have none, and asking for it would be an error in the browser's console.
  const [isAsked, setIsAsked] = useState(options.verify === 'content');
  const session = useSession();
  const queries = useQueryClient();
  // The API verifies the newest migration of a source.
  const isOlder = useFleet(({ migrations }) => findNewer(migrations, status)) !== undefined;
  const { data, error } = useQuery({
    enabled: isAsked,
    // The last pass begins with the end of the migration, and may follow a pass that was done.
    queryKey: ['verification', id, phase],
    queryFn: ({ signal }) => readVerification(id, signal),
    refetchInterval: ({ state }) => awaitsMore(phase, state.data, state.error !== null),
  });
  const begin = useMutation({
    mutationFn: (repair: boolean) => client.verify(source, { repair }),
    onSuccess: () => {
      setIsAsked(true);
      return queries.invalidateQueries({ queryKey: ['verification', id] });
    },
  });
  return (
    <section className="stack-small" aria-label="Verification">
      <h2>Verification</h2>
      {error !== null && <ErrorNote error={error} title="The verification can not be read" />}
      {data === null && <p className="quiet">Source and target were not compared document by document.</p>}
      {data && <Certificate found={data} />}
      {begin.error !== null && <ErrorNote error={begin.error} title="It was not begun" />}
      <div className="buttons no-print">
        {!isOlder && (
          <ActionButton
            why={reasonAgainst(session, 'operate')}
            isBusy={begin.isPending || data?.state === 'running'}
            onPress={() => begin.mutate(false)}
          >
            Verify every document
          </ActionButton>
        )}
        {!isAsked && (
          <button type="button" onClick={() => setIsAsked(true)}>
            Show an earlier verification
          </button>
        )}
        {data?.state === 'done' &&
          data.differences.samples.length > 0 &&
          isBeforeSwap(status) &&
          !isOlder && (
            <ActionButton
              why={reasonAgainst(session, 'operate')}
              isBusy={begin.isPending}
              onPress={() => begin.mutate(true)}
            >
              Verify and repair
            </ActionButton>
          )}
        {data && (
          <a
            download={`${id}.verification.json`}
            href={`data:application/json,${encodeURIComponent(JSON.stringify(data))}`}
          >
            Certificate as JSON
          </a>
        )}
      </div>
    </section>
  );
}

const isBeforeSwap = ({ phase }: MigrationStatus): boolean =>
  phase === 'ACTIVE' || phase === 'PREPARING_TARGET';

/** @returns null when none was asked for */
async function readVerification(id: string, signal: AbortSignal): Promise<Verification | null> {
  try {
    return await client.migrationVerification(id, { signal });
  } catch (error) {
    if (isStatus(error, 404)) return null;
    throw error;
  }
}

function Certificate({ found }: { readonly found: Verification }) {
  const { differences, progress, ranges, ended_at_millis: ended, digest, unproven_at_swap: unproven } = found;
  const kinds = Object.entries(differences.counts).filter(([, count]) => count > 0);
  const isRunning = found.state === 'running';
  return (
    <>
      <Pairs
        pairs={[
          [
            'State',
            isRunning
              ? `running, ${progress.groups_done} of ${progress.groups} groups of shards`
              : found.state,
          ],
          ['Why', found.reason],
          ['Asked for by', found.requested_by],
          ['Began', <Moment key="began" at={found.started_at_millis} />],
          ['Ended', ended && <Moment key="ended" at={ended} />],
          [
            'Compared',
            `${formatExact(found.documents_compared)} documents, in ranges: ${ranges.length}, in passes: ${found.passes}`,
          ],
          ['Differences', kinds.map(([kind, count]) => `${formatExact(count)} ${kind}`).join(', ') || 'none'],
          ['Repaired', found.repaired === undefined ? undefined : formatExact(found.repaired)],
          ['Not judged', found.unsettled > 0 ? formatExact(found.unsettled) : undefined],
          ['Operations right before the swap', unproven === undefined ? undefined : formatExact(unproven)],
          ['Digest', digest && <code key="digest">{digest}</code>],
        ]}
      />
      {differences.samples.length > 0 && (
        <ul>
          {differences.samples.slice(0, shownSamples).map(({ kind, id, routing, fields }) => (
            <li key={`${kind} ${routing ?? ''} ${id}`}>
              {kind}{' '}
              <code>
                <bdi>{id}</bdi>
              </code>
              {fields !== undefined && ` in ${fields.join(', ')}`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
