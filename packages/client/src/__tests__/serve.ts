import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MigrationPhase, MigrationStatus, TargetCreation } from '../index.ts';

export interface Seen {
  /** method and path */
  readonly what: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless it is a text; `cut`: the connection ends instead of an answer */
  readonly body?: unknown;
  readonly cut?: true;
  readonly silent?: true;
}

export interface Server {
  readonly url: string;
  readonly seen: Seen[];
  stop(): Promise<void>;
}

/** An API on this machine. @param reply what the n-th request is answered with, from 0 */
export async function serve(reply: (seen: Seen, n: number) => Reply): Promise<Server> {
  const seen: Seen[] = [];
  const server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
    incoming.on('end', () => {
      const one = { what: `${incoming.method ?? ''} ${incoming.url ?? ''}`, headers: incoming.headers, body };
      const answer = reply(one, seen.push(one) - 1);
      if (answer.cut === true) incoming.socket.destroy();
      if (answer.cut === true || answer.silent === true) return;
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
      outgoing.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      outgoing.end(answer.status === 304 ? undefined : text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const refusal = (status: number, type: string, reason = 'why') => ({
  status,
  body: { error: { root_cause: [{ type, reason }], type, reason }, status },
});

/** What `_create_target` answers about an index like the source. */
export function createCreation(): TargetCreation {
  return {
    source_index: 'a',
    target_index: 'b',
    dry_run: true,
    created: false,
    shard_routing_mode: 'SPLIT_SHARD',
    definition: { settings: {}, mappings: {} },
    changes: [{ path: 'settings.index.number_of_shards', source: '2', target: '4' }],
    changes_truncated: false,
    left_out: [],
    aliases: [],
  };
}

/** A status as the API shows it. @param past phases before this one */
export function createStatus(
  phase: MigrationPhase,
  more: Partial<MigrationStatus> = {},
  past: readonly MigrationPhase[] = [],
): MigrationStatus {
  return {
    migration_id: 'a__b__1',
    source_index: 'a',
    target_index: 'b',
    alias: 'al',
    phase,
    options: {
      convergence_threshold_per_shard: 500,
      max_convergence_rounds_per_shard: 1000,
      doc_count_tolerance: 0,
      accept_data_loss_if_custom_routing_is_used: false,
      target_ready_timeout_seconds: 60,
      remove_source_write_block_on_success: false,
      transient_target_settings: {},
    },
    shard_routing_mode: 'SAME_SHARD',
    delete_routing_strategy: 'TRANSLOG_ROUTING',
    start_time_millis: 1,
    last_updated_millis: 1,
    shards: {},
    transition_history: [...past, phase].map((name) => ({ phase: name, start_time_millis: 1 })),
    meta: {},
    ...more,
  };
}
