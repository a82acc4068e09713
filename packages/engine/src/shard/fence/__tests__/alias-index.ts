import type { AliasAction, AliasPort, AliasUpdate, IndexAliasPort } from '../../../ports/alias-port';
import type { ClusterPort } from '../../../ports/cluster-port';
import type { IndexDescription, IndexStatePort } from '../../../ports/index-state-port';
import { ClusterError } from '../../../ports/cluster-error';

/** What becomes of one change. */
export type Fate =
  | 'answered'
  /** carried out, and the answer is lost */
  | 'no answer'
  | 'never arrived'
  /** the caller is told nothing; it is carried out after some more changes */
  | 'arrives late';

/** The aliases of one index, changed as `_aliases` changes them: all actions or none. */
export class AliasIndex {
  private readonly names: Set<string>;
  private late: { actions: readonly AliasAction[]; due: number }[] = [];
  private readonly gone = new Set<string>();
  /** Aliases that came back although they may not. */
  readonly returned: string[] = [];
  uuid = 'uuid of the target';
  changes = 0;
  acknowledges = true;
  /** A late change lands right before so many changes later. */
  landAfter = 1;
  beforeUpdate: (() => Promise<void>) | undefined;

  constructor(
    names: readonly string[],
    private readonly fateOf: () => Fate = () => 'answered',
  ) {
    this.names = new Set(names);
  }

  open(): readonly string[] {
    return [...this.names];
  }

  clear(kept: readonly string[] = []): void {
    this.names.clear();
    for (const name of kept) this.names.add(name);
  }

  /** Somebody else's call takes them away. */
  take(names: readonly string[]): void {
    for (const name of names) {
      this.names.delete(name);
      this.gone.add(name);
    }
  }

  mayNotReturn(name: string): void {
    this.gone.add(name);
  }

  landAll(): void {
    for (const { actions } of this.late.splice(0)) this.apply(actions);
  }

  readonly state: Pick<IndexStatePort, 'describe'> = {
    describe: () => Promise.resolve({ uuid: this.uuid } as IndexDescription),
  };

  readonly aliases: IndexAliasPort = {
    list: (pattern) =>
      Promise.resolve([...this.names].filter((name) => name.startsWith(pattern.replace(/\*$/, '')))),
  };

  readonly cluster: Pick<ClusterPort, 'readView'> & { readonly aliases: Pick<AliasPort, 'update'> } = {
    readView: () => Promise.resolve({ members: ['node/run'], aliases: [...this.names] }),
    aliases: { update: (actions) => this.update(actions) },
  };

  private async update(actions: readonly AliasAction[]): Promise<AliasUpdate> {
    const { beforeUpdate } = this;
    this.beforeUpdate = undefined;
    await beforeUpdate?.();
    this.landDue();
    const fate = this.fateOf();
    if (fate === 'arrives late') this.late.push({ actions, due: this.landAfter });
    else if (fate !== 'never arrived') {
      const update = this.apply(actions);
      if (fate === 'answered') return update;
    }
    throw new ClusterError('transient', 'no answer');
  }

  private landDue(): void {
    const due = this.late.filter((change) => change.due-- <= 0);
    this.late = this.late.filter((change) => !due.includes(change));
    for (const { actions } of due) this.apply(actions);
  }

  private apply(actions: readonly AliasAction[]): AliasUpdate {
    this.changes += 1;
    const after = new Set(this.names);
    for (const action of actions) {
      if ('add' in action) after.add(action.add.alias);
      else if (!after.delete(action.remove.alias) && action.remove.must_exist === true) {
        return { type: 'missing', reason: `aliases [${action.remove.alias}] missing` };
      }
    }
    this.clear();
    for (const name of after) {
      this.names.add(name);
      if (this.gone.has(name)) this.returned.push(name);
    }
    return { type: this.acknowledges ? 'acknowledged' : 'unacknowledged' };
  }
}
