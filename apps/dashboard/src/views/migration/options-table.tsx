import type { MigrationStatus } from '@aosc/client';
import { formatMoment } from '../../format/times';
import { Copyable } from '../../ui/parts';

/** The options of the migration's start, defaults filled in. */
export function OptionsTable({
  status: { options, transform_script: script },
}: {
  readonly status: MigrationStatus;
}) {
  return (
    <>
      <Pairs title="Options" pairs={Object.entries(options)} />
      {script !== undefined && (
        <Copyable label="Transform" text={script.source ?? `stored script ${script.id ?? ''}`} />
      )}
    </>
  );
}

/** What the service's records say about target and block. Only the cluster knows the present state. */
export function RecordTable({
  status: { meta, last_updated_millis: at },
}: {
  readonly status: MigrationStatus;
}) {
  return <Pairs title={`In the record, as of ${formatMoment(at)}`} pairs={Object.entries(meta)} />;
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
