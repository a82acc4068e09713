import type { StartRequest, TargetCreation } from '@aosc/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { client } from '../../api/client';
import { isMadeOfFiles, type StartForm, targetRequestOf } from './form-state';
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
 * What the API says before anything is done: of a target that would be made, what it would be; of a start that makes none of
 * its own before, every refusal at once; of a target that is there, what a plan warns of.
 * @param request of the start
 * @param isPlaced the fields that decide the target are there and right
 * @param isComplete all fields are
 */
export function usePreview(
  form: StartForm,
  request: StartRequest,
  { isPlaced, isComplete }: { readonly isPlaced: boolean; readonly isComplete: boolean },
): PreviewState {
  const source = form.source.trim();
  const targetRequest = targetRequestOf(form);
  const target = useQuery({
    queryKey: ['target', source, JSON.stringify(targetRequest)],
    queryFn: ({ signal }) => client.createTarget(source, targetRequest, { dryRun: true, signal }),
    enabled: isPlaced && form.makesTarget,
    retry: false,
  });
  const isChecked = !form.makesTarget || isMadeOfFiles(form);
  // A start tries the script and counts documents: not at every letter that is typed.
  const asked = useDeferredValue(JSON.stringify(request));
  const check = useQuery({
    queryKey: ['check', source, asked],
    queryFn: ({ signal }) => client.checkStart(source, request, { signal }),
    enabled: isComplete && isChecked && asked === JSON.stringify(request),
    retry: false,
    staleTime: 10_000,
  });
  // Of a target that is there already, a start takes what a reader should know of before.
  const plan = useQuery({
    queryKey: ['plan', source, asked],
    queryFn: ({ signal }) => client.plan(source, { ...request, documents: 0 }, { signal }),
    enabled: isComplete && !form.makesTarget && asked === JSON.stringify(request),
    retry: false,
    staleTime: 10_000,
  });
  const refused = isComplete && isChecked ? check.error : null;
  if (!form.makesTarget) {
    const warnings = isComplete ? (plan.data?.checks ?? []).filter(({ verdict }) => verdict === 'warn') : [];
    return { target: undefined, error: refused, warnings };
  }
  return isPlaced ? { target: target.data, error: target.error ?? refused, warnings: [] } : nothing;
}

const nothing: PreviewState = { target: undefined, error: null, warnings: [] };

/** The target was created, and the start was refused. */
export class StartRefusedError extends Error {
  override readonly name = 'StartRefusedError';
  constructor(
    readonly made: TargetCreation,
    options: { readonly cause: unknown },
  ) {
    super(`${made.target_index} was made`, options);
  }
}

/** Creates the target, where the form asks for it, and starts the migration. @param onStarted with its id */
export function useStart(onStarted: (id: string) => void) {
  return useMutation({
    mutationFn: async ({ form, request }: { readonly form: StartForm; readonly request: StartRequest }) => {
      const source = form.source.trim();
      if (!form.makesTarget || isMadeOfFiles(form)) return client.start(source, request);
      const made = await client.createTarget(source, targetRequestOf(form), { dryRun: false });
      return client.start(source, request).catch((cause: unknown) => {
        throw new StartRefusedError(made, { cause });
      });
    },
    onSuccess: ({ migration_id: id }) => onStarted(id),
  });
}
