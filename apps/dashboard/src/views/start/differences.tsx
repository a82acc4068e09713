import type { Plan, TargetCreation } from '@aosc/client';
import { Fold } from '../../ui/parts';

/** How the target differs from the source, and what of the source it does not get. */
export function Differences({
  changes,
  isCut,
  leftOut = [],
  note,
}: {
  readonly changes: Plan['differences'];
  /** there are more than are listed */
  readonly isCut: boolean;
  readonly leftOut?: TargetCreation['left_out'];
  readonly note: string;
}) {
  if (changes.length + leftOut.length === 0) return undefined;
  return (
    <Fold title="Differences" note={note}>
      <div className="table-frame" role="region" aria-label="Differences" tabIndex={0}>
        <table>
          <tbody>
            {changes.map(({ path, source, target }) => (
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
      {isCut && <p className="quiet">There are more than are listed.</p>}
      {leftOut.length > 0 && (
        <ul>
          {leftOut.map(({ setting, reason }) => (
            <li key={setting}>
              <code>{setting}</code> is left out: {reason}
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}
