/** A transform as it was at the start: a stored script's text is taken once. */
export interface TransformText {
  readonly source: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Not part of a longer name: `user_id` is a field like any other. */
const identityName = /(?<!\w)_(?:id|routing)(?!\w)/;

/**
 * What gives another result each time it is asked. `new Date()` with an argument does not, nor does a field that is
 * called `random` without being called like a method.
 */
const unpredictable: readonly RegExp[] = [
  /(?<!\w)_now(?!\w)/,
  /(?<!\w)random\w*\s*\(/i,
  /(?<!\w)(?:currentTimeMillis|nanoTime)\s*\(/,
  /(?<!\w)now\s*\(/,
  /(?<!\w)new\s+Date\s*\(\s*\)/,
];

/**
 * Whether a script may give documents another id or routing: it names one of them, or gets such a name as a
 * parameter. One that reaches them without ever writing their name is caught while it runs.
 */
export function mayRewriteIdentity({ source, params = {} }: TransformText): boolean {
  return identityName.test(source) || identityName.test(JSON.stringify(params));
}

/**
 * The clock or chance in a script. Where ids are rewritten, the old place of a document is found by running the script
 * again on what the document was: that must give the same id.
 * @returns the first such expression, or undefined
 */
export function findUnpredictable({ source }: TransformText): string | undefined {
  return unpredictable.map((pattern) => pattern.exec(source)?.[0]).find((found) => found !== undefined);
}
