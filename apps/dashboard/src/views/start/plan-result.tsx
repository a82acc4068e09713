import type { Plan } from '@aosc/client';
import { DocLink } from '../../ui/doc-link';
import { Pairs } from '../../ui/pairs';
import { Fold, Note } from '../../ui/parts';
import { Differences } from './differences';
import { checksOf, counted, effectLines, estimateRows } from './plan-words';

/** What a plan has found: what is in the way first, what is fine last. */
export function PlanResult({ plan }: { readonly plan: Plan }) {
  const fine = checksOf(plan, 'ok');
  const estimates = estimateRows(plan);
  return (
    <>
      <Checks checks={checksOf(plan, 'refuse')} title="In the way" />
      <Checks checks={checksOf(plan, 'warn')} title="To know before" />
      {estimates.length > 0 && (
        <section className="stack-small">
          <h3>Estimates</h3>
          <Pairs
            pairs={estimates.map(({ label, value, how }) => [
              label,
              <span key={label}>
                about <strong>{value}</strong> <span className="sub">{how}</span>
              </span>,
            ])}
          />
        </section>
      )}
      {plan.documents !== undefined && <Documents documents={plan.documents} />}
      <Differences
        changes={plan.differences}
        isCut={plan.differences_truncated}
        note={`of ${plan.target_index} from ${plan.source_index}`}
      />
      <Fold title={`${counted(fine.length, 'check')} ${fine.length === 1 ? 'is' : 'are'} fine`}>
        <ul>
          {fine.map(({ id, evidence }) => (
            <li key={id}>
              <code>{id}</code> <span className="sub">{evidence}</span>
            </li>
          ))}
        </ul>
        <p className="quiet">
          What each looks at: <DocLink page="docs/reference/plan.md" />.
        </p>
      </Fold>
    </>
  );
}

/** What was found and what to do, in the API's words. */
export function Checks({ checks, title }: { readonly checks: Plan['checks']; readonly title: string }) {
  if (checks.length === 0) return undefined;
  return (
    <section className="stack-small">
      <h3>{title}</h3>
      {checks.map(({ id, verdict, evidence, remedy }, at) => (
        <Note key={at} kind={verdict === 'refuse' ? 'bad' : 'wait'} title={<code>{id}</code>}>
          <p className="said">{evidence}</p>
          {remedy !== undefined && <p>{remedy}</p>}
        </Note>
      ))}
    </section>
  );
}

type Tried = NonNullable<Plan['documents']>;

function Documents({ documents: { looked_at: count, refused, script } }: { readonly documents: Tried }) {
  return (
    <section className="stack-small">
      <h3>{counted(count, 'document')} tried</h3>
      {refused !== undefined && refused.length === 0 && (
        <p>An index like the target takes {count === 1 ? 'it' : 'all of them'}.</p>
      )}
      <Groups groups={refused} of="An index like the target refuses" />
      {script !== undefined && <Script script={script} />}
    </section>
  );
}

function Script({ script }: { readonly script: NonNullable<Tried['script']> }) {
  const lines = effectLines(script.fields);
  return (
    <>
      <p>
        The script changes {counted(script.changed, 'document')}, leaves{' '}
        {counted(script.unchanged, 'document')} as they are, and gives {counted(script.renamed, 'document')}{' '}
        another id or routing.
      </p>
      {lines.length > 0 && (
        <pre tabIndex={0} aria-label="Fields that the script adds, removes and changes">
          {lines.map(({ sign, text }) => {
            if (sign === '+') return <ins key={text}>{`${text}\n`}</ins>;
            if (sign === '-') return <del key={text}>{`${text}\n`}</del>;
            return <span key={text}>{`${text}\n`}</span>;
          })}
        </pre>
      )}
      <Groups groups={script.failed} of="The script fails on" />
      {script.collisions.length > 0 && (
        <p>
          Several documents would have the id <Ids ids={script.collisions} />.
        </p>
      )}
    </>
  );
}

function Groups({ groups = [], of }: { readonly groups: Tried['refused']; readonly of: string }) {
  return groups.map(({ reason, count, ids }) => (
    <p key={reason}>
      {of} {counted(count, 'document')} (<Ids ids={ids} />
      ): <span className="said">{reason}</span>
    </p>
  ));
}

function Ids({ ids }: { readonly ids: readonly string[] }) {
  return (
    <code>
      <bdi>{ids.join(', ')}</bdi>
    </code>
  );
}
