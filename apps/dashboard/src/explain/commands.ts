/** A text as one argument of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request as curl sends it. @param origin of the API */
export function curlCommand(origin: string, method: string, path: string, body?: unknown): string {
  const parts = [`curl -X ${method} ${quote(`${origin}${path}`)}`];
  if (body !== undefined) {
    parts.push("-H 'content-type: application/json'", `-d ${quote(JSON.stringify(body, undefined, 2))}`);
  }
  return parts.join(' \\\n  ');
}
