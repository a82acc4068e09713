import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Reply {
  readonly status?: number;
  readonly body: unknown;
  /** the body is a text already */
  readonly isText?: boolean;
  readonly etag?: string;
}

/** An API on this machine. @param reply the answer to the n-th request, from 0 */
export async function serve(reply: (what: string, n: number) => Reply) {
  const seen: { readonly what: string; readonly body: string; readonly authorization: string | undefined }[] =
    [];
  const server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
    incoming.on('end', () => {
      const what = `${incoming.method ?? ''} ${incoming.url ?? ''}`;
      const { authorization } = incoming.headers;
      const answer = reply(what, seen.push({ what, body, authorization }) - 1);
      outgoing.writeHead(answer.status ?? 200, {
        'content-type': 'application/json',
        ...(answer.etag !== undefined && { etag: answer.etag }),
      });
      outgoing.end(answer.isText === true ? answer.body : JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const refusal = (status: number, type: string, reason: string) => ({
  status,
  body: { error: { root_cause: [{ type, reason }], type, reason }, status },
});
