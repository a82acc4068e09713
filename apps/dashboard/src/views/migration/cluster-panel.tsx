import { describeAlias, describeIndex, type MigrationIndices, type MigrationStatus } from '@aosc/client';
import { Moment } from '../../ui/parts';

/** What the cluster itself says of alias, block and counts, and when it said so. */
export function ClusterPanel({
  status,
  now,
}: {
  readonly status: MigrationStatus;
  /** undefined: no answer yet */
  readonly now: MigrationIndices | undefined;
}) {
  const { migration_id: id, alias, source_index: source, target_index: target } = status;
  return (
    <section className="card stack-small cluster" aria-label="In the cluster now">
      <div className="title-row">
        <h2>In the cluster now</h2>
        <p className="sub">{now === undefined ? 'Asking the cluster…' : <Moment at={now.at_millis} />}</p>
      </div>
      <dl>
        <Fact name={alias} kind="Alias" text={now && describeAlias(now)} />
        <Fact name={source} kind="Source" text={now && describeIndex(now.source, id)} />
        <Fact name={target} kind="Target" text={now && describeIndex(now.target, id)} />
      </dl>
    </section>
  );
}

function Fact({
  kind,
  name,
  text,
}: {
  readonly kind: string;
  readonly name: string;
  readonly text: string | undefined;
}) {
  return (
    <div>
      <dt>{kind}</dt>
      <dd>
        <bdi>{name}</bdi>
        <span className="sub">{text ?? '…'}</span>
      </dd>
    </div>
  );
}
