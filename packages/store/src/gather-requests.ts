import { type Call, ClusterError, isClusterError } from '@aosc/engine';
import { isShardRecordId } from '@aosc/domain';
import type { DocumentIndex, DocumentReplacement, Position } from './document-index';

/** So many requests of a kind may be under way before the next callers wait for one of them, and go together. */
const maxUnderWay = 2;
/** A caller never waits longer than this for the company of others: a request that hangs holds nobody else up. */
const longestWaitMs = 50;
/** Records in one request; one of a shard is some KB. */
const maxTogether = 64;
/**
 * A shared request that has no answer for so long counts as lost, and each caller asks again: a node that was paused, or
 * a connection that went silent, must not silence all shards of a worker until their owners count as dead.
 */
const longestAnswerMs = 10_000;

/**
 * Lets the jobs of a process share their requests to `.aosc-migrations`: each shard reads and writes a record of its own,
 * and a write waits for the disk. A request leaves at once while few are under way; those who ask meanwhile go together
 * in the next one. So a caller never gets what was read before it asked, and one after another asks as before.
 *
 * A shared request ends early when all who wait for it have given up.
 * @param attribution left out: nobody asks whose work a request is
 */
export function gatherRequests(
  index: DocumentIndex,
  requestTimeoutMs: number,
  attribution: Attribution = toNobody,
): DocumentIndex {
  const timeoutMs = Math.min(requestTimeoutMs, longestAnswerMs);
  const get = gather<string, Awaited<ReturnType<DocumentIndex['get']>>>(attribution, async (ids, signal) => {
    const unique = [...new Set(ids)];
    const found = await index.getMany(unique, { signal, timeoutMs });
    const byId = new Map(unique.map((id, at) => [id, found[at]]));
    return ids.map((id) => byId.get(id));
  });
  const replace = gather<DocumentReplacement, Position>(attribution, (writes, signal) =>
    replaceTogether(index, writes, { signal, timeoutMs }),
  );
  return {
    ...index,
    get,
    // The record of a migration is written by one process at a time: it has no company, and waits for none.
    replace: (id, before, body, refresh, call) =>
      refresh || !isShardRecordId(id)
        ? index.replace(id, before, body, refresh, call)
        : replace({ id, before, body }, call),
  };
}

type Outcome = Position | ClusterError;

async function replaceTogether(
  index: DocumentIndex,
  writes: readonly DocumentReplacement[],
  call: Call,
): Promise<readonly Outcome[]> {
  const eachAlone = () => Promise.all(writes.map((write) => replaceAlone(index, write, call)));
  if (writes.length === 1) return eachAlone();
  try {
    return await index.replaceMany(writes, call);
  } catch (error) {
    if (!isClusterError(error, 'too_large')) throw error;
    // Nothing was written, and each of them may be small enough.
    return eachAlone();
  }
}

async function replaceAlone(
  index: DocumentIndex,
  { id, before, body }: DocumentReplacement,
  call: Call,
): Promise<Outcome> {
  try {
    return await index.replace(id, before, body, false, call);
  } catch (error) {
    if (isClusterError(error)) return error;
    throw error;
  }
}

type Reject = (error: Error) => void;

/** Whose work a request is, which leaves when another caller's has come back. */
export interface Attribution {
  /** Who asks now. */
  remember(): unknown;
  /** Runs what one has asked for as a part of its work, and what several have asked for as nobody's. */
  runFor<T>(askers: readonly unknown[], run: () => T): T;
}

const toNobody: Attribution = { remember: () => undefined, runFor: (_askers, run) => run() };

interface Waiting<Q, A> {
  readonly asker: unknown;
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: Reject;
  hasGivenUp: boolean;
  /** told when the caller gives up while its request is under way */
  onGiveUp: () => void;
}

/** @param ask gives one answer or error for each question, in their order */
function gather<Q, A>(
  attribution: Attribution,
  ask: (questions: readonly Q[], signal: AbortSignal) => Promise<readonly (A | ClusterError)[]>,
): (question: Q, call: Call) => Promise<A> {
  let waiting: Waiting<Q, A>[] = [];
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;

  function leave(): void {
    clearTimeout(timer);
    timer = undefined;
    const leaving = waiting.slice(0, maxTogether);
    waiting = waiting.slice(maxTogether);
    if (leaving.length === 0) return;
    underWay += 1;
    void send(leaving).finally(() => {
      underWay -= 1;
      leave();
    });
    if (waiting.length > 0) expect();
  }

  function expect(): void {
    timer ??= setTimeout(leave, longestWaitMs);
  }

  async function send(leaving: readonly Waiting<Q, A>[]): Promise<void> {
    const controller = new AbortController();
    for (const each of leaving) {
      each.onGiveUp = () => {
        if (leaving.every(({ hasGivenUp }) => hasGivenUp)) controller.abort();
      };
    }
    try {
      const answers = await askFor(leaving, attribution, (all) => ask(all, controller.signal));
      if (answers.length !== leaving.length) {
        throw new ClusterError('transient', `${answers.length} answers for ${leaving.length} questions`);
      }
      answers.forEach((answer, at) => {
        if (answer instanceof ClusterError) leaving[at]?.reject(answer);
        else leaving[at]?.resolve(answer);
      });
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      for (const each of leaving) each.reject(cause);
    }
  }

  function join(question: Q, signal: AbortSignal, resolve: (answer: A) => void, reject: Reject): void {
    const own: Waiting<Q, A> = {
      asker: attribution.remember(),
      question,
      resolve: (answer) => {
        signal.removeEventListener('abort', giveUp);
        resolve(answer);
      },
      reject: (error) => {
        signal.removeEventListener('abort', giveUp);
        reject(error);
      },
      hasGivenUp: false,
      onGiveUp: () => undefined,
    };
    function giveUp(): void {
      own.hasGivenUp = true;
      waiting = waiting.filter((each) => each !== own);
      own.onGiveUp();
      own.reject(reasonOf(signal));
    }
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.push(own);
    if (underWay < maxUnderWay) setImmediate(leave);
    else expect();
  }

  return (question, { signal }) =>
    signal.aborted
      ? Promise.reject(reasonOf(signal))
      : new Promise((resolve, reject) => join(question, signal, resolve, reject));
}

function reasonOf(signal: AbortSignal): ClusterError {
  return new ClusterError('aborted', 'the caller has given up', {}, { cause: signal.reason });
}

function askFor<Q, A>(
  leaving: readonly { readonly question: Q; readonly asker: unknown }[],
  attribution: Attribution,
  ask: (questions: readonly Q[]) => A,
): A {
  const askers = leaving.map(({ asker }) => asker);
  const questions = leaving.map(({ question }) => question);
  return attribution.runFor(askers, () => ask(questions));
}
