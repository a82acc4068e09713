/** OpenSearch's error shape with a reason that holds the phrase. */
export function errorLike(status: number, type: string, phrase: string): object {
  const reason = expect.stringContaining(phrase) as string;
  return { status, body: { status, error: { type, reason, root_cause: [{ type, reason }] } } };
}
