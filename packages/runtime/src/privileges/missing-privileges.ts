/** Permissions that the service's user lacks, by index; the key undefined stands for the cluster. */
export type MissingPrivileges = ReadonlyMap<string | undefined, ReadonlySet<string>>;

/** The result for one request. */
export interface Finding {
  readonly index?: string | undefined;
  readonly missing: readonly string[];
}

/** Each permission once. */
export function collectMissing(found: readonly Finding[]): MissingPrivileges {
  const collected = new Map<string | undefined, Set<string>>();
  for (const { index, missing } of found) {
    if (missing.length === 0) continue;
    const known = collected.get(index) ?? new Set<string>();
    for (const privilege of missing) known.add(privilege);
    collected.set(index, known);
  }
  return collected;
}

/** One sentence that names user, permissions and indices, and what to do. */
export function describeMissing(user: string, missing: MissingPrivileges): string {
  const parts = [...missing].map(([index, privileges]) => {
    const where = index === undefined ? 'on the cluster' : `on index [${index}]`;
    return `[${[...privileges].join(', ')}] ${where}`;
  });
  return (
    `OpenSearch user [${user}] of the service lacks permissions: ${parts.join('; ')}; ` +
    'give it a role with them (docs/how-to/opensearch-user.md has a complete one)'
  );
}

/**
 * The permissions in the plugin's words: `no permissions for [indices:data/write/bulk[s], …] and User […]`.
 * @returns the whole message where it has other words
 */
export function privilegesIn(message: string): readonly string[] {
  const listed = /no permissions for \[(.+?)\] and /.exec(message)?.[1];
  return listed === undefined ? [message] : listed.split(', ');
}
