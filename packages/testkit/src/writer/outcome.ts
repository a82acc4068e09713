import { ConnectionError, type HttpAnswer, type HttpClient } from '../http/http-client';
import { RawJsonError } from '../raw-json';
import { fitsBulk, fitsUrl, type Operation } from './operation';
import { bulkRequest, type ItemAnswer, readBulkAnswer, readItemAnswer, singleRequest } from './wire';

/** What OpenSearch said of an operation it has done. */
export interface Acknowledgement {
  readonly index: string;
  readonly result: string;
  readonly version: string;
  readonly seqNo: number;
  readonly primaryTerm: number;
  readonly source: Buffer | undefined;
}

/** What one attempt came to. */
export type Outcome =
  | { readonly type: 'acknowledged'; readonly acknowledgement: Acknowledgement }
  /** surely not done; an application tries again */
  | { readonly type: 'refused'; readonly blocked: boolean; readonly reason: string }
  /** done or not: the writer can't know; an application tries again */
  | { readonly type: 'unknown'; readonly reason: string }
  /** a higher external version is there already */
  | { readonly type: 'conflict'; readonly reason: string }
  /** surely not done, and trying again would not help */
  | { readonly type: 'failed'; readonly reason: string };

/** Sends operations through the alias. @returns one outcome for each, in their order */
export async function attempt(
  http: HttpClient,
  alias: string,
  operations: readonly Operation[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  const alone = operations.length === 1;
  const inBulk = operations.filter((operation) => (alone ? !fitsUrl(operation) : fitsBulk(operation)));
  const bulked = inBulk.length === 0 ? [] : await attemptBulk(http, alias, inBulk, signal);
  const outcomes = new Map<Operation, Outcome>();
  inBulk.forEach((operation, at) => outcomes.set(operation, bulked[at] ?? noAnswer));
  for (const operation of operations) {
    if (!outcomes.has(operation))
      outcomes.set(operation, await attemptSingle(http, alias, operation, signal));
  }
  return operations.map((operation) => outcomes.get(operation) ?? noAnswer);
}

const noAnswer: Outcome = { type: 'unknown', reason: 'the answer has no item for this operation' };

async function attemptBulk(
  http: HttpClient,
  alias: string,
  operations: readonly Operation[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  const toAll = (outcome: Outcome): Outcome[] => operations.map(() => outcome);
  const answer = await sendOrOutcome(http, { ...bulkRequest(alias, operations), signal });
  if ('type' in answer) return toAll(answer);
  try {
    if (answer.status >= 300) return toAll(classifyItem(readItemAnswer(answer.body, answer.status)));
    return readBulkAnswer(answer.body).map(classifyItem);
  } catch (error) {
    return toAll(unreadable(answer, error));
  }
}

async function attemptSingle(
  http: HttpClient,
  alias: string,
  operation: Operation,
  signal: AbortSignal,
): Promise<Outcome> {
  const answer = await sendOrOutcome(http, { ...singleRequest(alias, operation), signal });
  if ('type' in answer) return answer;
  try {
    return classifyItem(readItemAnswer(answer.body, answer.status));
  } catch (error) {
    return unreadable(answer, error);
  }
}

async function sendOrOutcome(
  http: HttpClient,
  request: Parameters<HttpClient['send']>[0],
): Promise<HttpAnswer | Outcome> {
  try {
    return await http.send(request);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return error.maybeDelivered
      ? { type: 'unknown', reason: error.message }
      : { type: 'refused', blocked: false, reason: error.message };
  }
}

/** A proxy's error page: it does not show what happened behind it, unless its status does. */
function unreadable(answer: HttpAnswer, error: unknown): Outcome {
  if (!(error instanceof RawJsonError)) throw error;
  const reason = `HTTP ${answer.status} with an unreadable body`;
  return answer.status === 429 ? { type: 'refused', blocked: false, reason } : { type: 'unknown', reason };
}

/** What the answer to one operation means. */
export function classifyItem(item: ItemAnswer): Outcome {
  const { status, index, result, version, seqNo, primaryTerm } = item;
  const reason = `${status} ${item.errorType ?? ''}: ${item.errorReason ?? ''}`;
  const done = status === 200 || status === 201 || (status === 404 && result === 'not_found');
  if (done) {
    const complete =
      index !== undefined &&
      result !== undefined &&
      version !== undefined &&
      seqNo !== undefined &&
      primaryTerm !== undefined;
    if (!complete)
      return { type: 'unknown', reason: `${status} without _index, result, _version or _seq_no` };
    return {
      type: 'acknowledged',
      acknowledgement: { index, result, version, seqNo, primaryTerm, source: item.source },
    };
  }
  if (item.errorType === 'cluster_block_exception') return { type: 'refused', blocked: true, reason };
  if (status === 429) return { type: 'refused', blocked: false, reason };
  if (status === 409) return { type: 'conflict', reason };
  if (status >= 500) return { type: 'unknown', reason };
  return { type: 'failed', reason };
}
