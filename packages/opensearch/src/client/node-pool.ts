import { type Agent, ClientRequest } from 'node:http';
import type { NodeConnections } from '@aosc/signals';
import { Connection, ConnectionPool } from '@opensearch-project/opensearch';
import { type EndRequest, Node } from './node';

type Params = Parameters<Connection['request']>[0];
type Callback = Parameters<Connection['request']>[1];

/**
 * The client carries it as the request's id. The pool stores in it the callback that reports the request's end to the
 * node.
 */
export class Ticket {
  end: EndRequest | undefined;
}

/**
 * Chooses the node of the next request. It replaces the client's own pool, which pings a dead node once for each
 * request and never reads the answers, so that each ping takes a connection for good.
 */
export class NodePool {
  private readonly nodes = new Map<Connection, Node>();
  private turn = -1;

  /**
   * @param openAgent opens fresh connections to a node
   * @param patienceMs see {@link Node}
   * @param now of a clock that never jumps
   */
  constructor(
    private readonly openAgent: (url: URL, purpose: 'requests' | 'ping') => Agent,
    private readonly patienceMs: number,
    private readonly now: () => number,
    private readonly onRenewal: (node: string) => void,
  ) {}

  add(connection: Connection): void {
    const openAgent = (purpose: 'requests' | 'ping'): Agent => this.openAgent(connection.url, purpose);
    this.nodes.set(connection, new Node(connection, openAgent, this.patienceMs, this.now, this.onRenewal));
  }

  /** In turn, of the nodes that answer and have room; of all nodes, when there is none. */
  choose(ticket: unknown): Connection | null {
    const all = [...this.nodes.values()];
    for (const node of all) node.look();
    const there = all.filter(({ isThere }) => isThere);
    const roomy = there.filter(({ isFull }) => !isFull);
    const best = [roomy, there, all].find(({ length }) => length > 0) ?? [];
    this.turn = (this.turn + 1) % Math.max(1, best.length);
    const node = best[this.turn];
    if (node !== undefined && ticket instanceof Ticket) ticket.end = node.begin();
    return node?.connection ?? null;
  }

  describe(): readonly NodeConnections[] {
    return [...this.nodes.values()].map((node) => node.describe());
  }

  close(): void {
    for (const node of this.nodes.values()) node.close();
  }
}

/**
 * The parts of the client that make it use `nodes`.
 * @param longestConnectMs bounds the wait for a connection, as half of the request's own time does
 * @param Base signs requests, or does not
 */
export function clientParts(
  nodes: NodePool,
  longestConnectMs: number,
  Base: typeof Connection = Connection,
): { readonly ConnectionPool: typeof ConnectionPool; readonly Connection: typeof Connection } {
  return {
    ConnectionPool: class extends ConnectionPool {
      override createConnection(...args: Parameters<ConnectionPool['createConnection']>): Connection {
        const connection = super.createConnection(...args);
        nodes.add(connection);
        return connection;
      }
      override getConnection(about?: { readonly requestId?: unknown }): Connection | null {
        return nodes.choose(about?.requestId);
      }
      /** Requests report themselves how they ended. */
      override markDead(): this {
        return this;
      }
    },
    Connection: class extends Base {
      override request(params: Params, callback: Callback): ClientRequest {
        let isOver = false;
        const end: Callback = (error, response) => {
          if (!isOver) callback(error, response);
          isOver = true;
        };
        const request = super.request(params, end);
        const ms = Math.min(longestConnectMs, (params.timeout ?? Infinity) / 2);
        // For a path that can't be sent the client makes no request.
        if (request instanceof ClientRequest) {
          boundConnecting(request, this, ms, (missing) =>
            end(new Error(`no ${missing} to ${this.url.host} within ${ms} ms`), null),
          );
        }
        return request;
      }
    },
  };
}

/**
 * Bounds the wait for a connection: such a request has not been sent.
 * @param onEnd called before the request is aborted, because Node.js emits nothing for a request without a connection
 */
function boundConnecting(
  request: ClientRequest,
  { agent, url }: Connection,
  ms: number,
  onEnd: (missing: string) => void,
): void {
  let missing = 'free connection';
  const timer = setTimeout(() => {
    onEnd(missing);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- `destroy` is heard of only when there is a connection
    request.abort();
  }, ms);
  const done = (): void => clearTimeout(timer);
  request.once('close', done);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the client itself aborts
  request.once('abort', () => {
    done();
    leaveQueue(agent, request);
  });
  request.once('socket', (socket) => {
    missing = 'connection';
    if (socket.connecting) socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', done);
    else done();
  });
}

/** Node.js would keep an aborted request, and its body, until a connection is free for it. */
function leaveQueue({ requests }: Agent, request: ClientRequest): void {
  for (const [name, queue = []] of Object.entries(requests)) {
    const place = queue.findIndex((each) => Object.is(each, request));
    if (place < 0) continue;
    // The agent expects a first request in each of its queues.
    if (queue.length === 1) Reflect.deleteProperty(requests, name);
    else queue.splice(place, 1);
  }
}
