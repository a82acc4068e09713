import type { StartRequest } from '@aosc/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useNavigate } from 'react-router';
import { client } from '../../api/client';
import { isMadeOfFiles, type StartForm, targetRequestOf } from './form-state';

/** Indices to choose from. Where there are more than the API lists, typing finds the others. */
export function useIndexList(text: string) {
  const wanted = useDeferredValue(text.trim());
  const all = useQuery({ queryKey: ['indices', ''], queryFn: ({ signal }) => client.indices({ signal }) });
  const some = useQuery({
    queryKey: ['indices', wanted],
    queryFn: ({ signal }) => client.indices({ contains: wanted, signal }),
    enabled: all.data?.truncated === true && wanted !== '',
  });
  return some.data?.indices ?? all.data?.indices ?? [];
}

/**
 * The plan of exactly the start that the form asks for: each form has a plan of its own, so that no other form shows it.
 * @param request of the start
 */
export function usePlan(form: StartForm, request: StartRequest) {
  const queries = useQueryClient();
  const source = form.source.trim();
  const target = targetRequestOf(form);
  /** A plan looks at an index that is there, so this one has to be made before. */
  const wanted = form.makesTarget && !isMadeOfFiles(form) ? JSON.stringify([source, target]) : undefined;
  const [made, setMade] = useState<string>();
  const makesTarget = wanted !== undefined && wanted !== made;
  const key = JSON.stringify([source, request, wanted]);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['plan', key],
    queryFn: async ({ signal }) => {
      if (makesTarget) {
        await client.createTarget(source, target, { dryRun: false });
        setMade(wanted);
        signal.throwIfAborted();
      }
      return client.plan(source, request, { signal });
    },
    // Only when it is asked for: a plan reads and writes on the cluster.
    enabled: false,
    retry: false,
    gcTime: 0,
  });
  return {
    key,
    /** the last plan; undefined: none was made, or a new plan is under way */
    found: isFetching || error !== null ? undefined : data,
    error: isFetching ? null : error,
    isRunning: isFetching,
    /** the target has to be made first */
    makesTarget,
    /** the target was made for a plan of this form */
    isMade: wanted !== undefined && !makesTarget,
    make: () => void refetch(),
    /** Cancels a plan that is under way, and forgets the last one. */
    discard: () => void queries.resetQueries({ queryKey: ['plan', key] }),
  };
}

/** Starts the migration, and shows it. @param onRefused what the plan has found is no longer so */
export function useStart(source: string, onRefused: () => void) {
  const navigate = useNavigate();
  return useMutation({
    /** @param key of the plan that the request follows */
    mutationFn: ({ request }: { readonly request: StartRequest; readonly key: string }) =>
      client.start(source, request),
    onSuccess: ({ migration_id: id }) =>
      navigate(`/migrations/${encodeURIComponent(source)}/${encodeURIComponent(id)}`),
    onError: onRefused,
  });
}
