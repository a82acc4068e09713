import type {
  AliasPort,
  BulkItem,
  ClusterPort,
  ClusterPorts,
  FilesPort,
  IndexPorts,
  IndexStatePort,
  SettingsPort,
  SnapshotPort,
  TaskPort,
  WritePort,
} from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';

/** The cluster and the store that the engine talks to. */
export interface Ports {
  readonly cluster: ClusterPorts;
  readonly store: MigrationStore;
}

type Wrapper<P> = (real: P) => Partial<P>;

interface IndexFaults {
  readonly state?: Wrapper<IndexStatePort>;
  readonly snapshots?: Wrapper<SnapshotPort>;
  readonly settings?: Wrapper<SettingsPort>;
  readonly files?: Wrapper<FilesPort>;
  readonly writes?: Wrapper<WritePort>;
  readonly tasks?: Wrapper<TaskPort>;
}

/**
 * Puts something between two steps: single functions of the real ports, wrapped. What a wrapper gets as `real`
 * still talks to the cluster.
 */
export interface Faults {
  readonly cluster?: Wrapper<ClusterPort>;
  /** of the cluster: every change of an alias */
  readonly aliases?: Wrapper<AliasPort>;
  readonly source?: IndexFaults;
  readonly target?: IndexFaults;
  readonly store?: Wrapper<MigrationStore>;
}

/** @param names of the two indices that have faults; other indices have none */
export function withFaults(
  { cluster: real, store }: Ports,
  names: { readonly source: string; readonly target: string },
  faults: Faults = {},
): Ports {
  const aliases = { ...real.aliases, ...faults.aliases?.(real.aliases) };
  const cluster = { ...real, aliases, ...faults.cluster?.(real) };
  const faultsOf = new Map([
    [names.source, faults.source],
    [names.target, faults.target],
  ]);
  // Made once: what a wrapper remembers it remembers from one call to the next.
  const made = new Map<string, IndexPorts>();
  const index = (name: string, uuid?: string): IndexPorts => {
    if (!faultsOf.has(name)) return real.index(name, uuid);
    const key = `${name} ${uuid ?? ''}`;
    const wrapped = made.get(key) ?? wrapIndex(real.index(name, uuid), cluster, faultsOf.get(name));
    made.set(key, wrapped);
    return wrapped;
  };
  return { cluster: { ...cluster, index }, store: { ...store, ...faults.store?.(store) } };
}

function wrapIndex(real: IndexPorts, cluster: ClusterPort, faults: IndexFaults = {}): IndexPorts {
  const { state, snapshots, settings, files, writes, tasks } = real;
  return {
    ...real,
    cluster,
    state: { ...state, ...faults.state?.(state) },
    snapshots: { ...snapshots, ...faults.snapshots?.(snapshots) },
    settings: { ...settings, ...faults.settings?.(settings) },
    files: { ...files, ...faults.files?.(files) },
    writes: { ...writes, ...faults.writes?.(writes) },
    tasks: { ...tasks, ...faults.tasks?.(tasks) },
  };
}

/** Runs its action on the first call only. */
export function once(action: () => Promise<void>): () => Promise<void> {
  return onCall(1, action);
}

/** Runs its action on the n-th call only. */
export function onCall(n: number, action: () => Promise<void>): () => Promise<void> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === n) await action();
  };
}

/** A line that callers wait at until the test opens it; it also shows when a caller has come. */
export interface Barrier {
  /** Resolves when a caller waits at it. */
  readonly reached: Promise<void>;
  open(): void;
  /** Waits until it is open. */
  pass(): Promise<void>;
}

export function createBarrier(): Barrier {
  let arrive = (): void => undefined;
  let open = (): void => undefined;
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    reached,
    open: () => open(),
    pass: () => {
      arrive();
      return opened;
    },
  };
}

/** What a test needs to send a bulk late: the page its documents point into is used again before. */
export function copyItem(item: BulkItem): BulkItem {
  if (item.kind === 'delete') return item;
  const { idToken, routingToken, version, source, size } = item.document;
  return { kind: 'index', document: { idToken, routingToken, version, source: Buffer.from(source), size } };
}
