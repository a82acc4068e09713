import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createParser } from '@aosc/contract';
import { type Static, Type } from '@sinclair/typebox';

const AttributeSchema = Type.Object({
  key: Type.String(),
  value: Type.Record(Type.String(), Type.Unknown()),
});
const SpanSchema = Type.Object({
  traceId: Type.String(),
  spanId: Type.String(),
  parentSpanId: Type.Optional(Type.String()),
  name: Type.String(),
  attributes: Type.Array(AttributeSchema),
  links: Type.Optional(Type.Array(Type.Object({ traceId: Type.String(), spanId: Type.String() }))),
});
const parseRequest = createParser(
  'OTLP request',
  Type.Object({
    resourceSpans: Type.Array(
      Type.Object({
        resource: Type.Object({ attributes: Type.Array(AttributeSchema) }),
        scopeSpans: Type.Array(Type.Object({ spans: Type.Array(SpanSchema) })),
      }),
    ),
  }),
);

/** A span as a collector gets it. */
export interface CollectedSpan extends Omit<Static<typeof SpanSchema>, 'attributes' | 'links'> {
  readonly service: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** Takes traces by OTLP over HTTP, as JSON. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** From now on it takes requests and gives no answer. @returns how many it holds */
  hang(): () => number;
  /** Takes no more connections, and cuts those that there are. */
  stop(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let hangs = false;
  let held = 0;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
    if (hangs) {
      held += 1;
      return;
    }
    if (request.url === '/v1/traces') spans.push(...readSpans(Buffer.concat(chunks).toString('utf8')));
    response
      .writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' })
      .end('{}');
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    hang() {
      hangs = true;
      return () => held;
    },
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function readSpans(body: string): readonly CollectedSpan[] {
  return parseRequest(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = toObject(resource.attributes)['service.name'];
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service,
        attributes: toObject(span.attributes),
        links: span.links ?? [],
      })),
    );
  });
}

function toObject(attributes: Static<typeof AttributeSchema>[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
