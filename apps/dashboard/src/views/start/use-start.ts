import type { StartRequest, TargetCreation } from '@aosc/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { client } from '../../api/client';
import { type StartForm, targetRequestOf } from './form-state';
import type { PreviewState } from './preview';

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
 * What the API says of the target that would be made.
 * @param isComplete nothing of it is missing or wrong
 */
export function useTargetPreview(form: StartForm, isComplete: boolean): PreviewState {
  const source = form.source.trim();
  const request = targetRequestOf(form);
  const { data, error } = useQuery({
    queryKey: ['target', source, JSON.stringify(request)],
    queryFn: ({ signal }) => client.createTarget(source, request, { dryRun: true, signal }),
    enabled: isComplete && form.makesTarget,
    retry: false,
  });
  return form.makesTarget && isComplete ? { target: data, error } : { target: undefined, error: null };
}

/** The target was made, and the start was refused. */
export class StartRefusedError extends Error {
  override readonly name = 'StartRefusedError';
  constructor(
    readonly made: TargetCreation,
    options: { readonly cause: unknown },
  ) {
    super(`${made.target_index} was made`, options);
  }
}

/** Makes the target, where it is to be made, and starts the migration. @param onStarted with its id */
export function useStart(onStarted: (id: string) => void) {
  return useMutation({
    mutationFn: async ({ form, request }: { readonly form: StartForm; readonly request: StartRequest }) => {
      const source = form.source.trim();
      if (!form.makesTarget) return client.start(source, request);
      const made = await client.createTarget(source, targetRequestOf(form), { dryRun: false });
      return client.start(source, request).catch((cause: unknown) => {
        throw new StartRefusedError(made, { cause });
      });
    },
    onSuccess: ({ migration_id: id }) => onStarted(id),
  });
}
