import type { LoadedDocument } from '@aosc/testkit';
import { type HttpClient, type HttpRequest, UnexpectedAnswer } from '@aosc/testkit';
import { until } from './environment';

/** Documents that the writers leave alone, one for each way in which a target can be wrong. */
export const quietDocuments: readonly LoadedDocument[] = [
  'missing',
  'version',
  'stale',
  'routing',
  'source',
  'large',
  'untouched',
].map((name) => ({ id: `quiet-${name}`, source: sourceOf(name, 1) }));

function sourceOf(name: string, revision: number): string {
  const title = name === 'large' ? 'x'.repeat(2 ** 16) : 'a quiet one';
  return JSON.stringify({ key: `quiet ${name}`, revision, title });
}

/** What `_verify` must find of {@link tamper}. */
export const tampered = { missing: 1, extra: 1, version: 2, routing: 1, source: 2 } as const;

/** Brings the source's own version of the documents up, so that the target can be behind it. */
export async function updateQuiet(http: HttpClient, source: string): Promise<void> {
  await send(http, 'PUT', `/${source}/_doc/quiet-stale?refresh=true`, sourceOf('stale', 2));
}

/** Makes the target wrong in each way, behind the service's back. */
export async function tamper(http: HttpClient, target: string): Promise<void> {
  const put = (id: string, query: string, source: string) =>
    send(http, 'PUT', `/${target}/_doc/${id}?pipeline=_none&${query}`, source);
  await send(http, 'DELETE', `/${target}/_doc/quiet-missing`);
  await put('quiet-extra', '', sourceOf('extra', 1));
  await put('quiet-version', 'version=7&version_type=external_gte', sourceOf('version', 1));
  await send(http, 'DELETE', `/${target}/_doc/quiet-stale`);
  await put('quiet-stale', 'version=1&version_type=external', sourceOf('stale', 1));
  await send(http, 'DELETE', `/${target}/_doc/quiet-routing`);
  await put('quiet-routing', 'version=1&version_type=external&routing=other', sourceOf('routing', 1));
  await put('quiet-large', 'version=1&version_type=external_gte', sourceOf('large', 2));
  await tamperSource(http, target);
}

/** Changes bytes under the same version, which no count shows. */
export function tamperSource(http: HttpClient, target: string): Promise<void> {
  const path = `/${target}/_doc/quiet-source?pipeline=_none&version=1&version_type=external_gte`;
  return send(http, 'PUT', path, sourceOf('source', 2));
}

/** The same for some of them where a script has moved them to other ids. Order and blanks of the fields do not matter. */
export async function tamperMoved(http: HttpClient, target: string): Promise<void> {
  const path = (name: string) => `/${target}/_doc/${encodeURIComponent(`m/quiet-${name}`)}`;
  const put = (name: string, revision: number) => {
    const source = `{ "moved":true, ${sourceOf(name, revision).slice(1)}`;
    return send(http, 'PUT', `${path(name)}?pipeline=_none&version=1&version_type=external_gte`, source);
  };
  await send(http, 'DELETE', path('missing'));
  await put('extra', 1);
  await put('untouched', 1);
  await put('source', 2);
}

/** Makes the target right again. */
export async function undoTampering(http: HttpClient, target: string): Promise<void> {
  await send(http, 'DELETE', `/${target}/_doc/quiet-extra`);
  await send(http, 'DELETE', `/${target}/_doc/quiet-routing?routing=other`);
  for (const name of ['version', 'stale', 'source', 'large'])
    await send(http, 'DELETE', `/${target}/_doc/quiet-${name}`);
  for (const name of ['missing', 'version', 'stale', 'routing', 'source', 'large']) {
    const version = name === 'stale' ? 2 : 1;
    const query = `pipeline=_none&version=${version}&version_type=external`;
    await send(http, 'PUT', `/${target}/_doc/quiet-${name}?${query}`, sourceOf(name, version));
  }
}

/** A deleted document refuses a lower version, for some moments although `index.gc_deletes` is 0. */
async function send(
  http: HttpClient,
  method: HttpRequest['method'],
  path: string,
  body?: string,
): Promise<void> {
  const request = { method, path, ...(body !== undefined && { body }) };
  await until(`an answer to ${method} ${path}`, async () => {
    const answer = await http.send(request);
    if (answer.status >= 300 && answer.status !== 409) throw new UnexpectedAnswer(request, answer);
    return answer.status !== 409;
  });
}
