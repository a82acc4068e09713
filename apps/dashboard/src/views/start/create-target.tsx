import type { CreateTargetAnswer, CreateTargetRequest } from '@aosc/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { createTarget, places } from '../../api/endpoints';
import { reasonAgainst, useSession } from '../../api/session';
import { createTargetCommand, curlCommand } from '../../explain/commands';
import { isObject } from '../../schema/check-schema';
import { ActionButton, Copyable, ErrorNote } from '../../ui/parts';
import { Field } from './fields';
import { parseJson } from './form-state';

/** Makes the target from the source: first the difference, then the index. */
// eslint-disable-next-line max-lines-per-function -- the markup of one view, from top to bottom
export function CreateTarget({
  source,
  target,
  onAlias,
}: {
  readonly source: string;
  readonly target: string;
  /** an alias of the source was seen */
  readonly onAlias: (alias: string) => void;
}) {
  const [shards, setShards] = useState('');
  const [settings, setSettings] = useState('');
  const [mappings, setMappings] = useState('');
  const session = useSession();
  const problems = {
    shards: shards === '' || /^[1-9]\d{0,3}$/.test(shards) ? undefined : 'must be a number from 1 to 1024',
    settings: settings === '' || isObject(parseJson(settings)) ? undefined : 'is not a JSON object',
    mappings: mappings === '' || isObject(parseJson(mappings)) ? undefined : 'is not a JSON object',
  };
  const body = {
    target_index: target,
    ...(shards === '' ? {} : { number_of_shards: Number(shards) }),
    ...(settings === '' ? {} : { settings: parseJson(settings) }),
    ...(mappings === '' ? {} : { mappings: parseJson(mappings) }),
  } as CreateTargetRequest; // What it holds is held to the schema by the API.
  const ask = useMutation({
    mutationFn: (dryRun: boolean) => createTarget(source, body, dryRun),
    onSuccess: ({ aliases }) => {
      const [first] = aliases;
      if (aliases.length === 1 && first !== undefined) onAlias(first.name);
    },
  });
  const change = (set: (text: string) => void) => (text: string) => {
    ask.reset();
    set(text);
  };
  const isWrong = Object.values(problems).some((problem) => problem !== undefined);
  const why =
    reasonAgainst(session, 'operate') ??
    (source === '' || target === ''
      ? 'Name source and target first.'
      : isWrong
        ? 'A field is wrong.'
        : undefined);
  const shown = ask.data;
  const path = places.createTarget.path.replace('{index}', encodeURIComponent(source || 'source'));
  return (
    <details className="fold">
      <summary>Create the target from the source</summary>
      <Field
        label="Shards"
        isNumber
        help="Left empty: as many as the source. The same count, or that times a power of two, keeps custom routing."
        value={shards}
        problem={problems.shards}
        onChange={change(setShards)}
      />
      <Field
        label="Settings that differ"
        isLong
        isCode
        help='JSON by full name: {"index.number_of_replicas": 1}; null leaves one of the source out.'
        value={settings}
        problem={problems.settings}
        onChange={change(setSettings)}
      />
      <Field
        label="Mapping that differs"
        isLong
        isCode
        help='JSON that is merged into the mapping of the source: {"properties": {"year": {"type": "long"}}}; null removes.'
        value={mappings}
        problem={problems.mappings}
        onChange={change(setMappings)}
      />
      <div className="buttons">
        <ActionButton why={why} isBusy={ask.isPending} onPress={() => ask.mutate(true)}>
          Show the difference
        </ActionButton>
        <ActionButton
          kind="main"
          why={
            why ??
            (shown === undefined
              ? 'Look at the difference first.'
              : shown.created
                ? 'It is created.'
                : undefined)
          }
          isBusy={ask.isPending}
          onPress={() => ask.mutate(false)}
        >
          Create {target}
        </ActionButton>
      </div>
      {ask.error !== null && <ErrorNote error={ask.error} title="No index was created" />}
      {shown !== undefined && <Difference answer={shown} />}
      <Copyable label="The same with curl" text={curlCommand(location.origin, 'POST', path, body)} />
      <Copyable label="The same with aosc" text={createTargetCommand(location.origin, source, body)} />
    </details>
  );
}

const modes: Readonly<Record<CreateTargetAnswer['shard_routing_mode'], string>> = {
  SAME_SHARD: 'each document stays in the shard of the same number.',
  SPLIT_SHARD: 'each shard of the source becomes several of the target, and custom routing is kept.',
  BULK_API:
    'documents are routed anew. The start must say accept_data_loss_if_custom_routing_is_used: two documents of one id and different routing can not both live in one shard.',
};

function Difference({ answer }: { readonly answer: CreateTargetAnswer }) {
  return (
    <div role="status">
      <p className={`note ${answer.created ? 'note-good' : ''}`}>
        {answer.created ? `${answer.target_index} is created.` : 'Nothing is created yet.'} Routing mode{' '}
        <code>{answer.shard_routing_mode}</code>: {modes[answer.shard_routing_mode]}
      </p>
      <div className="table-frame" role="region" aria-label="Differences" tabIndex={0}>
        <table>
          <caption>
            {answer.changes.length === 0
              ? 'No difference'
              : `${answer.changes.length}${answer.changes_truncated ? ' and more' : ''} differences`}
          </caption>
          <tbody>
            {answer.changes.map(({ path, source, target }) => (
              <tr key={path}>
                <th scope="row">
                  <code>{path}</code>
                </th>
                <td>{source === undefined ? <em>nothing</em> : <del>{JSON.stringify(source)}</del>}</td>
                <td>{target === undefined ? <em>nothing</em> : <ins>{JSON.stringify(target)}</ins>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {answer.left_out.length > 0 && (
        <>
          <p>Not taken over:</p>
          <ul>
            {answer.left_out.map(({ setting, reason }) => (
              <li key={setting}>
                <code>{setting}</code>: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
      {answer.aliases.length > 0 && (
        <p>
          Aliases of the source: {answer.aliases.map(({ name }) => name).join(', ')}. The one that you migrate
          moves with its properties; the others stay.
        </p>
      )}
    </div>
  );
}
