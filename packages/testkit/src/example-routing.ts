interface ExamplePrimary {
  readonly shard: number;
  readonly nodeId: string | undefined;
  readonly state: string;
  readonly allocationId: string;
  readonly primaryTerm: number;
  readonly hasFailed: boolean;
  readonly copies: number;
  readonly activeCopies: number;
  readonly isMoving: boolean;
}

/** A started primary without replicas, for tests without servers, but for the parts a test is about. */
export function examplePrimary(shard: number, parts: Partial<ExamplePrimary> = {}): ExamplePrimary {
  return {
    shard,
    nodeId: 'n',
    state: 'STARTED',
    allocationId: 'a',
    primaryTerm: 1,
    hasFailed: false,
    copies: 1,
    activeCopies: 1,
    isMoving: false,
    ...parts,
  };
}

/** Where these primaries are, for tests without servers. */
export function exampleRouting(primaries: readonly ExamplePrimary[]) {
  return {
    clusterUuid: 'c',
    indexUuid: 'i',
    open: true,
    shape: { shardCount: primaries.length, routingShardCount: primaries.length, partitionSize: 1 },
    aliases: [],
    isWriteBlocked: false,
    replication: 'documents' as const,
    primaries,
  };
}
