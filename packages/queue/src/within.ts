/** A connection that was away when a queue was first used makes BullMQ wait without bound. */
const limitMs = 5000;
/** What ioredis says when an answer has not come within `commandTimeout`. */
const timedOut = 'Command timed out';

/** Redis has not answered in time: asked again at once, it would cost as much again. */
export class RedisSilentError extends Error {
  override readonly name = 'RedisSilentError';
}

/** @throws RedisSilentError after 5 s; the work itself may still be done */
export async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new RedisSilentError(`Redis has not answered within ${limitMs} ms`)),
      limitMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    const isSilence = error instanceof Error && error.message === timedOut;
    throw isSilence ? new RedisSilentError('Redis has not answered a command', { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}
