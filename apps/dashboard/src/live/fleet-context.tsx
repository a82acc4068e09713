import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { client } from '../api/client';
import { isLetIn, sessionKey, useSession } from '../api/session';
import type { FleetState } from './fleet-store';
import { createFleetStore, type FleetStore } from './shared-stream';

const FleetContext = createContext<FleetStore | undefined>(undefined);
/** After a refusal, the page asks for the stream again after this time. */
const againMs = 15_000;
/** Without a stream the page asks for the list this often. */
const pollMs = 10_000;

/** Follows all migrations as long as the page is open. */
export function FleetProvider({ children }: { readonly children: ReactNode }) {
  const [attempt, setAttempt] = useState(0);
  const queries = useQueryClient();
  const [store] = useState(() =>
    createFleetStore(() => {
      // Perhaps because the session has ended.
      void queries.invalidateQueries({ queryKey: sessionKey });
      setTimeout(() => setAttempt((count) => count + 1), againMs);
    }),
  );
  const session = useSession();
  const mayAsk = isLetIn(session);
  const who = session?.principal?.name ?? '';
  useEffect(() => (mayAsk ? store.open(who) : store.forget()), [store, attempt, mayAsk, who]);
  const { liveness } = useSyncExternalStore(store.subscribe, store.get);
  const isPolled = liveness.state === 'trouble' || (liveness.state === 'live' && liveness.by === 'polls');
  const { data: list } = useQuery({
    queryKey: ['list'],
    queryFn: ({ signal }) => client.list({ size: 500, signal }),
    enabled: mayAsk && isPolled,
    refetchInterval: pollMs,
    // Data from before an earlier trouble is old.
    gcTime: 0,
  });
  useEffect(() => {
    if (list !== undefined && isPolled) store.takeList(list);
  }, [store, list, isPolled]);
  return <FleetContext value={store}>{children}</FleetContext>;
}

/**
 * A part of the state of all migrations. A component that uses it is drawn again only when that part changes.
 * @param select must give the same value as long as the state is the same
 */
export function useFleet<T>(select: (state: FleetState) => T): T {
  const store = useContext(FleetContext);
  if (store === undefined) throw new Error('useFleet needs a FleetProvider');
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
