import {
  type HttpAnswer,
  type HttpClient,
  type ItemAnswer,
  readBulkAnswer,
  readItemAnswer,
} from '@aosc/testkit';
import type { Versioning } from './keys';

export interface Write {
  readonly verb: 'index' | 'delete' | 'update';
  /** undefined: OpenSearch chooses it */
  readonly id: string | undefined;
  readonly routing: string | undefined;
  readonly versioning: Versioning;
  readonly version: bigint;
  /** the document, or for `update` the part to change */
  readonly body: string;
}

/** Of a request that wants no copy but the primary, whatever the index asks for. */
export const unheld = ['wait_for_active_shards', '1'] as const;

export interface Written {
  readonly status: number;
  readonly result: string | undefined;
  readonly version: bigint | undefined;
  readonly reason: string | undefined;
}

/** Sends a write as a request of its own. @param passesHold it waits for no other copies, so a hold of writers does not hold it */
export async function sendOne(
  http: HttpClient,
  index: string,
  write: Write,
  passesHold: boolean,
): Promise<Written> {
  const query = new URLSearchParams(passesHold ? [[...unheld]] : []);
  if (write.routing !== undefined) query.set('routing', write.routing);
  if (write.versioning !== 'internal' && write.verb !== 'update') {
    query.set('version', String(write.version));
    query.set('version_type', write.versioning);
  }
  const endpoint = write.verb === 'update' ? '_update' : '_doc';
  const id = write.id === undefined ? '' : `/${encodeURIComponent(write.id)}`;
  const answer = await http.send({
    method: write.verb === 'delete' ? 'DELETE' : write.verb === 'update' || id === '' ? 'POST' : 'PUT',
    path: `/${index}/${endpoint}${id}?${query.toString()}`,
    ...(write.verb === 'delete' ? {} : { body: bodyOf(write) }),
  });
  return written(readItemAnswer(answer.body, answer.status), answer);
}

/** Sends writes as one `_bulk`. @returns an answer for each */
export async function sendBulk(
  http: HttpClient,
  index: string,
  writes: readonly Write[],
  passesHold: boolean,
): Promise<readonly Written[]> {
  const lines = writes.flatMap((write) => {
    const fields = [
      ...(write.id === undefined ? [] : [`"_id":${JSON.stringify(write.id)}`]),
      ...(write.routing === undefined ? [] : [`"routing":${JSON.stringify(write.routing)}`]),
      ...(write.versioning === 'internal' || write.verb === 'update'
        ? []
        : [`"version":${write.version},"version_type":"${write.versioning}"`]),
    ];
    const action = `{"${write.verb}":{${fields.join(',')}}}`;
    return write.verb === 'delete' ? [action] : [action, bodyOf(write)];
  });
  const answer = await http.send({
    method: 'POST',
    path: `/${index}/_bulk${passesHold ? `?${unheld.join('=')}` : ''}`,
    contentType: 'application/x-ndjson',
    body: `${lines.join('\n')}\n`,
  });
  if (answer.status >= 300) {
    const all = written(readItemAnswer(answer.body, answer.status), answer);
    return writes.map(() => all);
  }
  return readBulkAnswer(answer.body).map((item) => written(item, answer));
}

/** NDJSON can't carry line breaks: such a document goes in a request of its own. */
export function fitsBulk({ body }: Write): boolean {
  return !/[\r\n]/.test(body);
}

/** A URL has no form for half of a surrogate pair: such a key goes in a bulk. */
export function fitsUrl({ id, routing }: Write): boolean {
  return id?.isWellFormed() !== false && routing?.isWellFormed() !== false;
}

function bodyOf({ verb, body }: Write): string {
  return verb === 'update' ? `{"doc":${body}}` : body;
}

function written(item: ItemAnswer, answer: HttpAnswer): Written {
  return {
    status: item.status === 0 ? answer.status : item.status,
    result: item.result,
    version: item.version === undefined ? undefined : BigInt(item.version),
    reason: item.errorReason,
  };
}
