import type { MigrationIndices, MigrationStatus } from '@aosc/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../../api/client';
import { hasEnded } from '../../explain/phase-names';
import { useFleet } from '../../live/fleet-context';
import { findBySource } from '../../live/fleet-store';

/** The page asks this often in any case, also when the stream says nothing. */
const pollMs = 10_000;

/** The status of a migration as it changes. @param id undefined: the running or the newest one of the source */
export function useMigration(
  index: string,
  id: string | undefined,
): { readonly status: MigrationStatus | undefined; readonly error: Error | null } {
  const known = useFleet(({ migrations }) =>
    id === undefined ? findBySource(migrations, index) : migrations.get(id),
  );
  const isLive = useFleet(({ liveness }) => liveness.state === 'live');
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['status', index, id],
    queryFn: ({ signal }) =>
      id === undefined ? client.status(index, { signal }) : client.migration(id, { signal }),
    refetchInterval: isLive ? false : pollMs,
    // Nearly every figure changes, so a search for unchanged ones would cost more than it saves.
    structuralSharing: false,
  });
  // The stream says that something has changed; the status says what.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['status', index, id] });
  }, [queries, index, id, known]);
  return { status: data, error };
}

/** The page asks the cluster again and again, because other users change it without the API. */
const lookMs = { running: 5_000, ended: 15_000 } as const;

/** What the cluster says now of the indices and the alias of a migration. */
export function useIndices({ migration_id: id, phase }: MigrationStatus): MigrationIndices | undefined {
  const { data } = useQuery({
    // The cluster changes at the end of a phase.
    queryKey: ['indices', id, phase],
    queryFn: ({ signal }) => client.migrationIndices(id, { signal }),
    refetchInterval: hasEnded(phase) ? lookMs.ended : lookMs.running,
    placeholderData: (before) => (before?.migration_id === id ? before : undefined),
  });
  return data;
}
