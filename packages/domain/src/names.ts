/**
 * Every name that the service gives to something in the cluster, from one place. They are built from the migration's
 * key (20 hex digits, a hash of `migration_id`), because `migration_id` can be longer than a document id (512 bytes)
 * or an alias (255 bytes) may be, and is never taken apart again: `__` is legal in index names.
 *
 * | name | what it is |
 * |---|---|
 * | `aosc-fence-<key>-<shard>-<epoch>` | hidden alias of the target through which one shard's writer writes in one epoch |
 * | `aosc-token-<key>` | hidden alias of the target: the commit token |
 * | `aosc-fence-<key>-<shard>-none-<attempt>` | the same, for a moment, where a shard has no fence that could be consumed |
 * | `aosc-setup-<key>-<attempt>` | hidden alias of the target, for a moment: the call that makes fences and token consumes it |
 * | `aosc-committed-<key>` | hidden alias of the target: put there by the swap itself |
 * | `aosc-made-<key>` | hidden alias of a target that the migration has made of files: born with it, tells whose it is |
 * | `aosc-block-<key>` | hidden alias of the source while its write block is ours: tells a stranger whose it is |
 * | `.aosc-plan-<random>` | scratch index of a plan, for as long as the plan is made |
 * | `aosc-transform-<key>` | ingest pipeline: the migration's transform |
 * | `aosc-<key>-<shard>-<epoch>` | `X-Opaque-Id` of that writer's bulks and reads |
 * | `aosc-<process>-<key>`, with `-<shard>-<job>` | `X-Opaque-Id` of their other requests, in traces |
 * | `m-<key>`, `s-<key>-<shard>`, `c-<role>-<hash>` | records in `.aosc-migrations` |
 */

/** What the names of scratch indices of plans begin with; a random part follows. */
export const scratchPrefix = '.aosc-plan-';

/** What the names of our own indices, aliases and pipelines begin with. */
const ownPrefixes = [
  '.aosc-',
  'aosc-fence-',
  'aosc-token-',
  'aosc-setup-',
  'aosc-committed-',
  'aosc-made-',
  'aosc-block-',
  'aosc-transform-',
] as const;

/**
 * Whether a name is the service's own, of this or any other migration. With such a name as an operator's index the
 * service would copy, block or swap its own state; as an operator's alias it would open a fence, or vanish with the
 * fences.
 */
export const isOwnName = (name: string): boolean => ownPrefixes.some((prefix) => name.startsWith(prefix));

/** System indices and those of plugins (passwords, dashboards) begin with a dot, and few others do. */
export const isHiddenName = (name: string): boolean => name.startsWith('.');

/** Fence of one shard's writer in one epoch. */
export const fenceAlias = (key: string, shard: number, epoch: number): string =>
  `${fencePrefix(key)}${shard}-${epoch}`;

/**
 * Stands where a shard has no fence; the call that makes a fence consumes it. No writer writes through it.
 * @param attempt of one call only: a late call must not arm another
 */
export const fencePlaceholder = (key: string, shard: number, attempt: string): string =>
  `${fencePrefix(key)}${shard}-none-${attempt}`;

/** What the names of all fences of a migration begin with. */
export const fencePrefix = (key: string): string => `aosc-fence-${key}-`;

/** Wildcard for all fences of a migration, or of one of its shards. */
export const fencePattern = (key: string, shard?: number): string =>
  shard === undefined ? `${fencePrefix(key)}*` : `${fencePrefix(key)}${shard}-*`;

export interface WriterName {
  readonly key: string;
  readonly shard: number;
  readonly epoch: number;
}

/** @returns undefined when the alias is no fence */
export const parseFenceAlias = (alias: string): WriterName | undefined =>
  parseWriterName('aosc-fence-', alias);

export const tokenAlias = (key: string): string => `aosc-token-${key}`;

/**
 * The call that makes fences and token consumes this alias, so that the call can't take effect twice.
 * @param attempt of one call only: a late call must not arm another
 */
export const setupAlias = (key: string, attempt: string): string => `aosc-setup-${key}-${attempt}`;

/** Wildcard for the setup aliases of all attempts, also for the name without an attempt that older versions used. */
export const setupPattern = (key: string): string => `aosc-setup-${key}*`;

export const isSetupAlias = (key: string, alias: string): boolean => alias.startsWith(`aosc-setup-${key}`);

export const committedAlias = (key: string): string => `aosc-committed-${key}`;

/** Marker of a target that the migration itself has made: what bears it may be removed with the migration. */
export const madeAlias = (key: string): string => `aosc-made-${key}`;

/** Marker of a write block: put on the source before the block is asked for, taken away when it is lifted. */
export const blockAlias = (key: string): string => `aosc-block-${key}`;

/** Whether a name on an index tells that another migration fills the index. @param key of the migration that asks */
export const isFilledByOther = (name: string, key: string): boolean =>
  /^aosc-(?:fence|token|setup)-/.test(name) && !name.includes(key);

/** Ingest pipeline that holds the compiled transform. */
export const transformPipelineName = (key: string): string => `aosc-transform-${key}`;

/**
 * Id of a shard's retention lease, as the contract has it. The lease is an entry of the store, not a name in the
 * cluster, so its length (it holds the whole `migration_id`) has no limit.
 */
export const leaseId = (migrationId: string, shard: number): string =>
  `aosc-migration-${migrationId}-${shard}`;

/** `X-Opaque-Id` of the bulks and reads of one shard's writer in one epoch. */
export const opaqueId = (key: string, shard: number, epoch: number): string =>
  `aosc-${key}-${shard}-${epoch}`;

/**
 * `X-Opaque-Id` of a process's requests outside of a writer's, for traces. It is never the name of a writer: the drain
 * that waits for a writer's bulks must not find it.
 */
export function workOpaqueId(
  process: 'scheduler' | 'worker',
  key: string,
  job?: { readonly shard: number; readonly kind: string },
): string {
  return `aosc-${process}-${key}${job === undefined ? '' : `-${job.shard}-${job.kind}`}`;
}

/** @returns undefined when the text is not exactly an {@link opaqueId} */
export const parseOpaqueId = (text: string): WriterName | undefined => parseWriterName('aosc-', text);

/**
 * Whether a task belongs to a migration, or to one of its shards, or to that shard's epochs up to and including
 * `lastEpoch`. Compares numbers, not prefixes: shard 1 is not shard 11.
 */
export function isOpaqueIdOf(text: string, key: string, shard?: number, lastEpoch = Infinity): boolean {
  const name = parseOpaqueId(text);
  return name?.key === key && (shard === undefined || name.shard === shard) && name.epoch <= lastEpoch;
}

export const migrationRecordId = (key: string): string => `m-${key}`;
export const shardRecordId = (key: string, shard: number): string => `s-${key}-${shard}`;
export const isShardRecordId = (id: string): boolean => /^s-[0-9a-f]{20}-\d+$/.test(id);
export const timelineRecordId = (key: string): string => `t-${key}`;
export const verificationRecordId = (key: string): string => `v-${key}`;

/** @param hash of the index name: the name itself may take all of the 512 bytes of a document id */
export const claimRecordId = (role: 'source' | 'target', hash: string): string => `c-${role}-${hash}`;

function parseWriterName(prefix: string, text: string): WriterName | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const match = /^([0-9a-f]{20})-(0|[1-9]\d*)-(0|[1-9]\d*)$/.exec(text.slice(prefix.length));
  if (match?.[1] === undefined) return undefined;
  return { key: match[1], shard: Number(match[2]), epoch: Number(match[3]) };
}
