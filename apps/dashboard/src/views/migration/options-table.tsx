import type { StatusDocument } from '@aosc/contract';
import { Copyable } from '../../ui/parts';

/** What the migration was started with, defaults filled in. */
export function OptionsTable({ status }: { readonly status: StatusDocument }) {
  const { options, transform_script: script, meta } = status;
  return (
    <>
      <Pairs title="Options" pairs={Object.entries(options)} />
      {script !== undefined && (
        <Copyable label="Transform" text={script.source ?? `stored script ${script.id ?? ''}`} />
      )}
      <Pairs title="What is kept about the target and the block" pairs={Object.entries(meta)} />
    </>
  );
}

function Pairs({
  title,
  pairs,
}: {
  readonly title: string;
  readonly pairs: readonly (readonly [string, unknown])[];
}) {
  return (
    <div className="table-frame" role="region" aria-label={title} tabIndex={0}>
      <table>
        <caption>{title}</caption>
        <tbody>
          {pairs.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>
                <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
