import type { Schemas } from './generated/types.ts';

type MigrationIndices = Schemas['MigrationIndices'];
type MigrationStatus = Schemas['MigrationStatus'];
type IndexNow = Schemas['IndexNow'];

/** Where the alias is. */
export function describeAlias({ alias }: MigrationIndices): string {
  if (alias.indices.length === 0) return 'on no index';
  return `on ${alias.indices.join(' and ')}`;
}

/** What an index of the migration is now. @param own the id of the migration */
export function describeIndex(index: IndexNow, own: string): string {
  if (index.state === 'missing') return 'does not exist';
  const documents =
    index.document_count === undefined
      ? []
      : [
          `${index.document_count.toLocaleString('en-US')} searchable ${index.document_count === 1 ? 'document' : 'documents'}`,
        ];
  const writes = index.is_write_blocked ? `takes no writes${blameFor(index, own)}` : 'takes writes';
  const other = index.state === 'replaced' ? ['another index of this name'] : [];
  const use = index.in_use === true ? ['in use by another migration'] : [];
  return [...other, ...documents, writes, ...use].join(', ');
}

function blameFor({ blocked_by: by }: IndexNow, own: string): string {
  if (by === undefined) return ' (a write block that no known migration has put there)';
  return by === own ? ' (the write block of this migration)' : ` (the write block of the migration ${by})`;
}

/** One thing that is left to do. */
export interface Task {
  readonly text: string;
  /** what does it; OpenSearch takes it, and not the API */
  readonly request?: ClusterRequest;
}

export interface ClusterRequest {
  readonly method: 'DELETE' | 'PUT';
  readonly path: string;
  /** JSON */
  readonly body?: string;
}

/** In the note of a completed migration: the source has, or may have, writes that the target lacks. */
export const strayWrites = /was written to after the swap|Those writes would not be/;

/** What is left to do after a migration has ended, from what the cluster says now. */
export function tasksAfter(status: MigrationStatus, now: MigrationIndices): readonly Task[] {
  return status.phase === 'COMPLETED' ? afterCompletion(status, now) : afterUndo(status, now);
}

function afterCompletion(
  { target_index: target, alias, error_message: note }: MigrationStatus,
  now: MigrationIndices,
): readonly Task[] {
  const { source } = now;
  const isServed = now.alias.indices.includes(target);
  const hasStray = note !== undefined && strayWrites.test(note);
  const first: readonly Task[] = [
    ...(note === undefined
      ? []
      : [{ text: hasStray ? 'Read the note, and bring over what it names.' : 'Read the note.' }]),
    ...(isServed
      ? []
      : [
          {
            text: `The alias ${alias} is ${describeAlias(now)} now, not on ${target}: something has moved it since.`,
          },
        ]),
  ];
  if (source.state !== 'same') return first;
  if (now.alias.indices.includes(source.name)) return first;
  if (source.aliases.length > 0) {
    const names = source.aliases.join(', ');
    const refused = source.is_write_blocked ? ', which refuses their writes' : '';
    return [
      ...first,
      {
        text: `Applications that use ${names} still reach ${source.name}${refused}. Move ${names} before you delete it.`,
      },
      ...lift(now),
    ];
  }
  return [
    ...first,
    hasStray
      ? { text: `Do not delete ${source.name} before that: no other index may have it.` }
      : { text: `Delete ${source.name} when you do not need it any more.`, request: deletion(source.name) },
    ...lift(now),
  ];
}

function afterUndo({ target_index: target, phase }: MigrationStatus, now: MigrationIndices): readonly Task[] {
  const { state, aliases, in_use: isInUse } = now.target;
  const isFree = state === 'same' && aliases.length === 0 && isInUse !== true;
  return [
    ...(phase === 'FAILED' ? [{ text: 'Read why it has failed, and put that right.' }] : []),
    ...(isFree
      ? [
          {
            text: `Delete ${target} and create it again before the next try: a migration needs an empty target.`,
            request: deletion(target),
          },
        ]
      : []),
    ...lift(now),
  ];
}

/** The block of another migration is that one's own business: it may run, and copy under its block. */
function lift({ migration_id: own, source }: MigrationIndices): readonly Task[] {
  const { name, is_write_blocked: isBlocked, blocked_by: by = own, state } = source;
  if (!isBlocked || state !== 'same' || by !== own) return [];
  return [
    {
      text: `Lift the write block, if ${name} should take writes again.`,
      request: { method: 'PUT', path: `${pathOf(name)}/_settings`, body: '{"index.blocks.write": null}' },
    },
  ];
}

const deletion = (name: string): ClusterRequest => ({ method: 'DELETE', path: pathOf(name) });

const pathOf = (index: string): string => `/${encodeURIComponent(index)}`;
