/** Colours of the terminal, by what they mean. */
const codes = { good: 32, bad: 31, warn: 33, dim: 2, strong: 1 } as const;
export type Tone = keyof typeof codes;

export type Paint = (tone: Tone, text: string) => string;

/** Leaves texts as they are. */
export const noPaint: Paint = (_, text) => text;

/** https://no-color.org: a variable that is set and not empty wins over everything. */
export function choosePaint(
  { isTty }: { readonly isTty: boolean },
  env: Readonly<Record<string, string | undefined>>,
  wanted: boolean,
): Paint {
  const refused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  if (!wanted || refused || !isTty) return noPaint;
  return (tone, text) => `\u001b[${codes[tone]}m${text}\u001b[0m`;
}
