/** Documents that found another document in their place in the target. */
export interface Collisions {
  readonly count: number;
  /** names of some of them */
  readonly first: readonly string[];
}

export interface CopyCollisions extends Collisions {
  /** of the first ten thousand of these documents */
  readonly ids: readonly string[];
  readonly areAllIds: boolean;
}

export function describeCollisions({ count, first }: Collisions, transformed: boolean): string {
  const names = `${first.join(', ')}${count > first.length ? ', …' : ''}`;
  const cause = transformed
    ? 'the transform gives one id to several documents'
    : 'documents of the source share an id under routings that fall into one target shard';
  return `${count} documents met another one in their place in the target: ${names}. Either ${cause}, or something else writes to the target index`;
}
