import type { TargetCreation } from '@aosc/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client';
import { ErrorNote, Note } from '../../ui/parts';
import { Differences } from './differences';
import { type StartForm, targetRequestOf } from './form-state';
import { counted } from './plan-words';

const modes: Readonly<Record<TargetCreation['shard_routing_mode'], string>> = {
  SAME_SHARD: 'Each document stays in the shard of the same number.',
  SPLIT_SHARD: 'Each shard of the source becomes several of the target. Custom routing is kept.',
  BULK_API:
    'Documents are routed by new rules, which a start must accept: two documents of one id and different routing can not both live in one shard.',
};

/** Shows the target that the form would make. A plan can look only at an index that exists. */
export function NewTarget({ form }: { readonly form: StartForm }) {
  const source = form.source.trim();
  const request = targetRequestOf(form);
  const { data, error } = useQuery({
    queryKey: ['target', source, JSON.stringify(request)],
    queryFn: ({ signal }) => client.createTarget(source, request, { dryRun: true, signal }),
    retry: false,
  });
  if (error !== null) return <ErrorNote error={error} title="The target can not be made" />;
  if (data === undefined) return undefined;
  const { target_index: target, shard_routing_mode: mode, changes } = data;
  const shards = data.definition.settings['index.number_of_shards'];
  const size = typeof shards === 'string' || typeof shards === 'number' ? `, with ${shards} shards` : '';
  const unlike = changes.length === 0 ? '' : ` (${counted(changes.length, 'difference')})`;
  return (
    <>
      <Note kind="plain">
        <p>
          {target} is made like {source}
          {size}
          {unlike}. It stays when you do not start.
        </p>
        <p>
          {modes[mode]} <code>{mode}</code>
        </p>
      </Note>
      <Differences
        changes={changes}
        isCut={data.changes_truncated}
        leftOut={data.left_out}
        note={`of ${target} from ${source}`}
      />
    </>
  );
}
