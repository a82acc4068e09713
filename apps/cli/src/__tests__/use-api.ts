import { runCommand } from '../run';
import { createFakeShell, type FakeShell } from './fake-shell';
import { serve } from './serve';

/** Runs command lines against an API of the test, one after the other; each test's API ends with it. */
export function useApi() {
  let api: Awaited<ReturnType<typeof serve>> | undefined;
  afterEach(async () => {
    await api?.stop();
    api = undefined;
  });
  /** @param reply the API's answers */
  return async (
    args: readonly string[],
    reply: Parameters<typeof serve>[0],
    make: (env: Record<string, string>) => FakeShell = createFakeShell,
  ) => {
    await api?.stop();
    api = await serve(reply);
    const shell = make({ AOSC_API_URL: api.url, AOSC_API_KEY: 'top-secret' });
    const code = await runCommand(args, shell);
    return { code, out: shell.printed(), err: shell.complained(), seen: api.seen };
  };
}
