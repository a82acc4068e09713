import type { AoscClient, Fetch } from '@aosc/client';
import type { Target } from '../context/choose-target';
import { connect } from '../context/connect';
import { toCurl } from './curl';

/** Ends a call before its request is sent. */
class ShownError extends Error {
  override readonly name = 'ShownError';
}

/**
 * The first request of a call, as curl would send it. Nothing is sent.
 * @param ask the call, after the user has answered all questions
 */
export async function showRequest(
  target: Target,
  ask: (client: AoscClient) => Promise<unknown>,
): Promise<string> {
  let shown: string | undefined;
  const stop = new ShownError('it was only to be shown');
  const show: Fetch = (url, init) => {
    shown = toCurl(url, init, target);
    return Promise.reject(stop);
  };
  // No authority is needed: nothing is sent.
  const { client } = await connect(
    { ...target, caFile: undefined },
    {
      timeoutMs: undefined,
      isTriedOnce: true,
      wrap: () => show,
    },
  );
  await ask(client).catch((error: unknown) => {
    if (!(error instanceof Error) || error.cause !== stop) throw error;
  });
  if (shown === undefined) throw new Error('the call sends no request');
  return shown;
}
