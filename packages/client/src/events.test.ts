import { refusal, type Reply, type Seen, serve, type Server } from './__tests__/serve.ts';
import { AnswerError, ApiError, createAoscClient, type FleetEvent } from './index.ts';

let server: Server | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const stream = (body: string): Reply => ({ headers: { 'content-type': 'text/event-stream' }, body });
const write = (event: string, data: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Events of an API that answers so, until as many have come. */
async function follow(reply: (seen: Seen, n: number) => Reply, count: number) {
  await server?.stop();
  server = await serve(reply);
  const ending = new AbortController();
  const got: FleetEvent[] = [];
  const troubles: unknown[] = [];
  const client = createAoscClient({ url: server.url });
  for await (const event of client.events({
    signal: ending.signal,
    onTrouble: (error) => troubles.push(error),
  })) {
    got.push(event);
    if (got.length === count) break;
  }
  return { got, troubles, seen: server.seen };
}

test('beats and names of a newer API are passed over', async () => {
  const body = `: beat\n\n${write('newer', {})}${write('gone', { migration_id: 'm' })}`;
  const { got, seen } = await follow(() => stream(body), 1);
  expect(got).toEqual([{ event: 'gone', data: { migration_id: 'm' } }]);
  expect(seen[0]?.headers).toMatchObject({ accept: 'text/event-stream' });
});

test('a stream that ends is followed where it was, and an API that is away is waited for', async () => {
  const ready = (at: number, id: string) => write('ready', { at_millis: at }, id);
  const replies: readonly Reply[] = [
    stream(`${ready(1, 'one')}event: gone\ndata: {"migr`),
    refusal(503, 'service_unavailable_exception'),
    stream(ready(2, 'two')),
  ];
  const { got, troubles, seen } = await follow((_, n) => replies[n] ?? { cut: true }, 2);
  expect(got.map(({ data }) => data)).toEqual([{ at_millis: 1 }, { at_millis: 2 }]);
  expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'one', 'one']);
  expect(troubles).toEqual([expect.any(ApiError)]);
});

test('what the document does not promise is an error, and so is a refusal', async () => {
  await expect(follow(() => stream(write('gone', {})), 1)).rejects.toThrow(AnswerError);
  await expect(follow(() => refusal(401, 'security_exception'), 1)).rejects.toThrow(ApiError);
});

test('the signal ends it', async () => {
  server = await serve(() => stream(write('ready', { at_millis: 1 }, 'one')));
  const ending = new AbortController();
  const reason = new Error('enough');
  const events = createAoscClient({ url: server.url }).events({ signal: ending.signal });
  await events.next();
  ending.abort(reason);
  await expect(events.next()).rejects.toBe(reason);
});
