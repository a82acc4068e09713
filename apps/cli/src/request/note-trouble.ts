import type { Fetch } from '@aosc/client';

/** Statuses after which the client sends a request again. */
const passing = new Set([429, 502, 503, 504]);

/**
 * Says once that a request has brought no answer that the command can use. The client sends it again for some time,
 * and without this line the user would see nothing until then.
 */
export function noteTrouble(note: (text: string) => void): (send: Fetch) => Fetch {
  let isNoted = false;
  const say = (url: string, why: string): void => {
    if (!isNoted) note(`no answer yet from ${new URL(url).host} (${why}): asking again`);
    isNoted = true;
  };
  return (send) => async (url, init) => {
    if (init.method !== 'GET') return send(url, init);
    try {
      const response = await send(url, init);
      if (passing.has(response.status)) say(url, String(response.status));
      return response;
    } catch (error) {
      say(url, init.signal.aborted ? 'it takes long' : 'no connection');
      throw error;
    }
  };
}
