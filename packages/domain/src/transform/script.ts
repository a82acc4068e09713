/** A transform as it was at the start: a stored script's text is read once. */
export interface TransformText {
  readonly source: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Not part of a longer name: `user_id` is a field like any other. */
const identityName = /(?<!\w)_(?:id|routing)(?!\w)/;

/**
 * What gives another result each time it is called. `new Date()` with an argument does not, nor does a field with the
 * name `random` that is not called as a method.
 */
const unpredictable: readonly RegExp[] = [
  /(?<!\w)_now(?!\w)/,
  /(?<!\w)random\w*\s*\(/i,
  /(?<!\w)(?:currentTimeMillis|nanoTime)\s*\(/,
  /(?<!\w)now\s*\(/,
  /(?<!\w)new\s+Date\s*\(\s*\)/,
];

/**
 * Whether a script may give documents another id or routing: it names one of them, or gets such a name as a parameter.
 * While it runs, the pipeline catches a script that reaches them without writing their name.
 */
export function mayRewriteIdentity({ source, params = {} }: TransformText): boolean {
  return identityName.test(source) || identityName.test(JSON.stringify(params));
}

/**
 * The clock or chance in a script. Where a transform rewrites ids, the service finds the old place of a document by
 * running the script again on the old document: that must give the same id.
 * @returns the first such expression, or undefined
 */
export function findUnpredictable({ source }: TransformText): string | undefined {
  return unpredictable.map((pattern) => pattern.exec(source)?.[0]).find((found) => found !== undefined);
}
