import type { AdminPort, BulkItem, SourcePort, TargetPort } from '@aosc/engine';
import type { MigrationStore } from '@aosc/store';

/** The real ports that the engine talks through. */
export interface Ports {
  readonly source: SourcePort;
  readonly target: TargetPort;
  readonly admin: AdminPort;
  readonly store: MigrationStore;
}

/**
 * Puts something between two steps: single functions of the real ports, wrapped. What a wrapper gets as `real`
 * still talks to the cluster.
 */
export interface Faults {
  readonly source?: (real: SourcePort) => Partial<SourcePort>;
  readonly target?: (real: TargetPort) => Partial<TargetPort>;
  readonly admin?: (real: AdminPort) => Partial<AdminPort>;
  readonly store?: (real: MigrationStore) => Partial<MigrationStore>;
}

export function withFaults(ports: Ports, faults: Faults = {}): Ports {
  return {
    source: { ...ports.source, ...faults.source?.(ports.source) },
    target: { ...ports.target, ...faults.target?.(ports.target) },
    admin: { ...ports.admin, ...faults.admin?.(ports.admin) },
    store: { ...ports.store, ...faults.store?.(ports.store) },
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

/** A line that others wait at until it is opened, and that tells when somebody has come. */
export interface Barrier {
  /** Resolves when somebody waits at it. */
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
