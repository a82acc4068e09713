import { Cluster, type Redis } from 'ioredis';
import { explainFailure } from './explain-failure';

const lookMs = 100;
/** Looks in a row without an answer: 5 s, and longer for a process that had no time to look. */
const maxSilentLooks = 50;
/** Looks for one piece of work, with or without answers: 30 s. BullMQ can wait for what no command brings. */
const maxLooks = 300;
/** ioredis's message when an answer has not come within `commandTimeout`. */
const timedOut = 'Command timed out';

/** Redis has not answered in time: another attempt at once would take as long again. */
export class RedisSilentError extends Error {
  override readonly name = 'RedisSilentError';
}

/** The connection whose incoming bytes show whether Redis still answers. */
type Answering = Pick<Redis, 'stream'> | Cluster;

/**
 * Waits for work that may consist of many commands, as long as Redis answers them. `within` of `@aosc/signals` bounds
 * time; this bounds silence, so slow work goes on while Redis answers. A connection that was away when a queue was
 * first used would make BullMQ wait without bound. Time is counted in looks, so that a process which was paused or had
 * no processor does not blame Redis, whose answers may be waiting to be read.
 * @throws RedisSilentError after 5 s without an answer or 30 s altogether; the work itself may still be done
 */
export async function whileRedisAnswers<T>(connection: Answering, work: Promise<T>): Promise<T> {
  const hasAnswered = watchAnswers(connection);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    let looks = 0;
    let silent = 0;
    timer = setInterval(() => {
      looks += 1;
      silent = hasAnswered() ? 0 : silent + 1;
      if (silent >= maxSilentLooks)
        reject(new RedisSilentError(`Redis has not answered for ${maxSilentLooks * lookMs} ms`));
      else if (looks >= maxLooks)
        reject(new RedisSilentError(`Redis has not brought an end within ${maxLooks * lookMs} ms`));
    }, lookMs);
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    const isSilence = error instanceof Error && error.message === timedOut;
    if (isSilence) throw new RedisSilentError('Redis has not answered a command', { cause: error });
    throw error instanceof Error && !(error instanceof RedisSilentError) ? explainFailure(error) : error;
  } finally {
    clearInterval(timer);
  }
}

/** @returns whether bytes have come in since the previous call. A new connection counts its bytes from zero. */
function watchAnswers(connection: Answering): () => boolean {
  const read = () =>
    new Map(streamsOf(connection).map((stream): [unknown, number] => [stream, readBytes(stream)]));
  let before = read();
  return () => {
    const now = read();
    const hasAnswered = [...now].some(([stream, bytes]) => bytes > (before.get(stream) ?? 0));
    before = now;
    return hasAnswered;
  };
}

/** ioredis's types claim that there is always a stream; before the first attempt to connect there is none. */
function streamsOf(connection: Answering): readonly (Redis['stream'] | undefined)[] {
  return connection instanceof Cluster ? connection.nodes().map(({ stream }) => stream) : [connection.stream];
}

function readBytes(stream: Redis['stream'] | undefined): number {
  return stream !== undefined && 'bytesRead' in stream ? stream.bytesRead : 0;
}
