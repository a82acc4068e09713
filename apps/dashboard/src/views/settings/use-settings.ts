import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client, send } from '../../api/client';
import { listSettings, type SettingDiff } from '../../explain/profiles';
import { schemasOf } from '../../schema/value-schemas';

/** The schemas of the API, read once. */
export function useSchemas() {
  return useQuery({
    queryKey: ['schemas'],
    queryFn: async () => schemasOf((await (await send('/openapi.json', {})).json()) as unknown),
    staleTime: Infinity,
  });
}

/** The settings in force, and the way to change them. @param onApplied after a change */
export function useSettings(onApplied: () => void) {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => client.settings({ includeDefaults: true, signal }),
  });
  const rows = useMemo(() => (data === undefined ? [] : listSettings(data)), [data]);
  const apply = useMutation({
    mutationFn: (diff: readonly SettingDiff[]) =>
      client.putSettings({
        persistent: Object.fromEntries(diff.map(({ name, to }) => [name, to === '' ? null : to])),
      }),
    onSuccess: async () => {
      onApplied();
      await queries.invalidateQueries({ queryKey: ['settings'] });
    },
  });
  return { rows, error, apply };
}
