import { isObject, shorten } from '@aosc/contract';
import { ownValue } from '@aosc/contract';
import { ClusterError, type ClusterErrorKind } from '@aosc/engine';
import { describeItemError, parseItemError } from '../codec/item-error';

/** The readable part of an error answer. */
interface ErrorFacts {
  readonly type: string | undefined;
  readonly reason: string;
  /** every type and reason in the answer: its own, root causes, failed shards, causes */
  readonly all: readonly { readonly type: string; readonly reason: string }[];
}

const longestReason = 500;

/** Types that say more than the status they come with. */
const kindOfType: Readonly<Record<string, ClusterErrorKind>> = {
  search_context_missing_exception: 'snapshot_lost',
  es_rejected_execution_exception: 'overload',
  rejected_execution_exception: 'overload',
  circuit_breaking_exception: 'overload',
  content_too_long_exception: 'too_large',
  version_conflict_engine_exception: 'conflict',
  resource_already_exists_exception: 'conflict',
  index_not_found_exception: 'not_found',
  aliases_not_found_exception: 'not_found',
  resource_not_found_exception: 'not_found',
  index_closed_exception: 'invalid',
  preference_based_search_not_allowed_exception: 'invalid',
  too_many_buckets_exception: 'invalid',
  security_exception: 'forbidden',
  cluster_manager_not_discovered_exception: 'transient',
  master_not_discovered_exception: 'transient',
  process_cluster_event_timeout_exception: 'transient',
  no_shard_available_action_exception: 'transient',
  unavailable_shards_exception: 'transient',
  node_closed_exception: 'transient',
  node_disconnected_exception: 'transient',
  node_not_connected_exception: 'transient',
  connect_transport_exception: 'transient',
  receive_timeout_transport_exception: 'transient',
  shard_not_found_exception: 'transient',
  illegal_index_shard_state_exception: 'transient',
};

/** `index.max_terms_count` and `indices.query.bool.max_clause_count`, whose messages appear inside other exceptions. */
const tooManyClauses = /\[index\.max_terms_count\]|maxClauseCount is set to/;

/** For a stored document that can't be shown as JSON (a simple value of CBOR); with 500 in 3.8.0. */
const unshowable = /can only serialize simple wrapper types/;

/** `script.max_size_in_bytes`; the text of the script follows */
const scriptTooLarge = /exceeded max allowed (?:inline|stored) script size/;

/**
 * Turns an error answer into the error type of the ports.
 * @param what method and path
 */
export function classifyError(what: string, status: number, body: Buffer): ClusterError {
  const facts = readFacts(body);
  const awaits = findAwaited(status, facts);
  const details = {
    status,
    ...(facts.type !== undefined && { type: facts.type }),
    ...(awaits !== undefined && { awaits }),
  };
  const said = facts.type === undefined ? facts.reason : `${facts.type}: ${facts.reason}`;
  return new ClusterError(decideKind(status, facts), `${what} answered ${status} ${said}`, details);
}

function decideKind(status: number, facts: ErrorFacts): ClusterErrorKind {
  if (facts.all.some(isLostSnapshot)) return 'snapshot_lost';
  if (facts.all.some(({ type }) => type.endsWith('block_exception'))) {
    // The similar `index_create_block_exception` is OpenSearch's answer to a creation when disks are full. 503: the
    // cluster has no state or no manager yet, which passes. 403, or 429 for a full disk: an operator must act.
    return status === 503 ? 'transient' : 'blocked';
  }
  if (facts.all.some(({ reason }) => tooManyClauses.test(reason))) return 'too_many_clauses';
  if (status === 401) return 'forbidden';
  if (status === 403 && isStaleSignature(facts)) return 'transient';
  for (const { type } of facts.all) {
    const kind = ownValue(kindOfType, type);
    if (kind !== undefined) return kind;
  }
  // A page above `index.max_result_window` returns a 400: a smaller one helps.
  if (/data too large|content too long|^result window is too large/i.test(facts.reason)) return 'too_large';
  // Both come with a 500, although no later request fares better.
  if (facts.all.some(({ reason }) => scriptTooLarge.test(reason) || unshowable.test(reason)))
    return 'invalid';
  if (status === 403 && !isAboutRights(facts)) return 'invalid';
  return kindOfStatus(status);
}

/** OpenSearch also answers 403 to requests that it refuses to every user; a proxy's 403 has no type. */
function isAboutRights({ type }: ErrorFacts): boolean {
  return type === undefined || /security|auth|access|permission|privilege/.test(type);
}

/** Refusals that the caller can't avoid with a smaller or later request: see ClusterError. */
function findAwaited(status: number, { all }: ErrorFacts): 'cluster' | 'pit_room' | undefined {
  const managerless = all.some(
    ({ type }) =>
      type === 'cluster_manager_not_discovered_exception' ||
      type === 'master_not_discovered_exception' ||
      (type === 'cluster_block_exception' && status === 503),
  );
  if (managerless) return 'cluster';
  return all.some(({ reason }) => reason.startsWith('Trying to create too many Point In Time contexts'))
    ? 'pit_room'
    : undefined;
}

/**
 * A point in time is gone when its context is, and also when its node has left the cluster: OpenSearch then answers 500
 * illegal_state_exception "no node found for id", because contexts live on one node.
 */
function isLostSnapshot({ type, reason }: { type: string; reason: string }): boolean {
  return (
    type === 'search_context_missing_exception' ||
    (type === 'illegal_state_exception' && reason.startsWith('no node found for id'))
  );
}

/**
 * AWS's front refuses a request whose signature is too old, or too new for its clock, or whose credentials have expired
 * since. The request reached no node, and the next request gets a new signature.
 */
function isStaleSignature({ type, reason }: ErrorFacts): boolean {
  if (type !== undefined) return false;
  return /security token included in the request is expired|signature (?:expired|not yet current)|ExpiredToken/i.test(
    reason,
  );
}

function kindOfStatus(status: number): ClusterErrorKind {
  if (status >= 500 || status === 408) return 'transient';
  if (status === 429) return 'overload';
  if (status === 413) return 'too_large';
  if (status === 409) return 'conflict';
  if (status === 404) return 'not_found';
  if (status === 403) return 'forbidden';
  return 'invalid';
}

function readFacts(body: Buffer): ErrorFacts {
  const error = readError(body);
  if (error === undefined)
    return { type: undefined, reason: shortenReason(body.toString('utf8', 0, 2000)), all: [] };
  if (typeof error === 'string') return { type: undefined, reason: shortenReason(error), all: [] };
  const all: { type: string; reason: string }[] = [];
  collect(error, all, 0);
  const first = all[0];
  return { type: first?.type, reason: readScriptError(error) ?? shortenReason(mostSpecific(all)), all };
}

/** "compile error" and "runtime error" say nothing without the place in the script and the cause. */
function readScriptError(error: unknown): string | undefined {
  if (!isObject(error) || !Array.isArray(error['script_stack'])) return undefined;
  try {
    return describeItemError(parseItemError(error));
  } catch {
    return undefined;
  }
}

/** `error` of the answer; some handlers answer with a plain string there. */
function readError(body: Buffer): unknown {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isObject(parsed) ? parsed['error'] : undefined;
  } catch {
    return undefined;
  }
}

function collect(error: unknown, into: { type: string; reason: string }[], depth: number): void {
  if (!isObject(error) || depth > 10 || into.length > 100) return;
  const { type, reason, root_cause, failed_shards, caused_by } = error;
  if (typeof type === 'string') into.push({ type, reason: typeof reason === 'string' ? reason : '' });
  else if (reason !== undefined) collect(reason, into, depth + 1);
  for (const inner of [root_cause, failed_shards]) {
    if (Array.isArray(inner)) for (const each of inner) collect(each, into, depth + 1);
  }
  collect(caused_by, into, depth + 1);
}

/** "all shards failed" and "" say nothing; this picks the first reason with content. */
function mostSpecific(all: readonly { reason: string }[]): string {
  const specific = all.find(({ reason }) => reason !== '' && reason !== 'all shards failed');
  return specific?.reason ?? all[0]?.reason ?? '';
}

function shortenReason(text: string): string {
  return shorten(withoutSessionToken(text).replace(/\s+/g, ' ').trim(), longestReason);
}

/** For a wrong signature AWS's answer quotes everything that should have been signed, including the session token. */
function withoutSessionToken(text: string): string {
  return text.replace(/(x-amz-security-token["']?\s*[:=]\s*["']?)[\w+/=%.~-]+/gi, '$1***');
}

/**
 * The same rules for an error inside an answer that as a whole has status 200 (`_mget`, `_msearch`, `_bulk`,
 * `_shards.failures`).
 * @param status of the part, where the answer has one
 */
export function classifyInnerError(what: string, error: unknown, status = 500): ClusterError {
  return classifyError(what, status, Buffer.from(JSON.stringify({ error })));
}
