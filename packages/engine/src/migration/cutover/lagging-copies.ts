import type { LaggingCopy } from '../../ports/index-state-port';

const maxNamed = 10;

const states: { readonly [S in LaggingCopy['state']]: string } = {
  behind: 'shows less than its primary',
  unknown: 'does not say what it shows',
  away: 'is on no node',
};

/**
 * Describes copies of the target that do not serve searches as they should.
 * @param copies at least one
 */
export function describeLagging(copies: readonly LaggingCopy[]): string {
  const each = copies.map(
    ({ shard, isSearchOnly, state }) =>
      `target shard [${shard}]: a ${isSearchOnly ? 'search replica' : 'replica'} ${states[state]}`,
  );
  const named = [...new Set(each)];
  const shown = named.slice(0, maxNamed).join(', ');
  return `${shown}${named.length > maxNamed ? ', …' : ''}`;
}

/** What the operator of the cluster can do about lagging copies. */
export const lookAtCopies =
  '_cat/shards shows whether its node is there, and _cat/segment_replication what it fetches';
