import type { Screen, Shell } from '../shell';

export interface FakeShell extends Shell {
  readonly printed: () => string;
  readonly complained: () => string;
}

/** A shell whose streams are kept. */
export function createFakeShell(
  env: Readonly<Record<string, string>> = {},
  more: { readonly isTty?: boolean; readonly answer?: string; readonly signal?: AbortSignal } = {},
): FakeShell {
  const { isTty = false } = more;
  const streams = { out: '', err: '' };
  const screenOf = (name: keyof typeof streams): Screen => ({
    write: (text) => {
      streams[name] += text;
    },
    isTty,
    width: () => (isTty ? 100 : Number.POSITIVE_INFINITY),
    height: () => (isTty ? 24 : Number.POSITIVE_INFINITY),
  });
  return {
    env: { AOSC_CONFIG: '/nowhere/config.json', ...env },
    home: '/nowhere',
    out: screenOf('out'),
    err: screenOf('err'),
    signal: more.signal ?? new AbortController().signal,
    now: () => 10_000,
    ask: (question) => {
      streams.err += question;
      return Promise.resolve(more.answer);
    },
    printed: () => streams.out,
    complained: () => streams.err,
  };
}
