import type { Fetch, FetchInit } from '@aosc/client';

/**
 * Lets only requests through that change nothing. A command that ignores --dry-run by mistake fails here, before
 * anything is sent.
 */
export function refuseChanges(send: Fetch): Fetch {
  return (url, init) =>
    changesNothing(url, init)
      ? send(url, init)
      : Promise.reject(new Error(`--dry-run does not send ${init.method} ${new URL(url).pathname}`));
}

function changesNothing(url: string, { method }: FetchInit): boolean {
  const { pathname, searchParams } = new URL(url);
  return (
    method === 'GET' ||
    searchParams.get('dry_run') === 'true' ||
    /\/_(?:plan|preview_transform)$/.test(pathname)
  );
}
