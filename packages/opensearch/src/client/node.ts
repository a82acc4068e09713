import type { NodeConnections } from '@aosc/signals';
import type { Connection } from '@opensearch-project/opensearch';
import type { ClientRequest, Agent } from 'node:http';
import { silenceLateErrors } from './read-body';

/** After this much silence a ping checks whether the node is there. */
const silenceMs = 2_000;
const pingLimitMs = 3_000;
/** The first distance between pings of a dead node; it doubles up to the longest. */
const pingEveryMs = 1_000;
const longestPingMs = 10_000;
/** After so many requests in a row without an answer, while the node answers pings, the connections are dead. */
const lostBeforeRenewal = 3;

/**
 * @param how `doubted`: a gateway in front of the node may have answered; `refused`: no process listens there;
 *   `given_up`: the caller no longer needs it
 */
export type EndRequest = (how: 'answered' | 'doubted' | 'lost' | 'refused' | 'given_up') => void;
/** A gateway's answers when its node is not there. OpenSearch itself also says 503: a ping decides. */
export const gatewayStatuses: readonly number[] = [502, 503, 504];

/**
 * One node as this process reaches it. Requests report how they ended, and a ping on a connection of its own settles a
 * doubt: one ping at a time, and its answer is read.
 */
export class Node {
  private isAway = false;
  private running = 0;
  /** since the last answer: requests that ended without one, and when the first of them started */
  private lost = 0;
  private silentSince: number | undefined;
  private pinging: ClientRequest | undefined;
  private pingDue = 0;
  private failedPings = 0;
  private renewals = 0;
  private isClosed = false;

  /**
   * @param openAgent opens fresh connections; `ping`: for one request only
   * @param patienceMs after this time without any answer the connections may be renewed
   * @param now of a clock that never jumps
   */
  constructor(
    readonly connection: Connection,
    private readonly openAgent: (purpose: 'requests' | 'ping') => Agent,
    private readonly patienceMs: number,
    private readonly now: () => number,
    private readonly onRenewal: (node: string) => void,
  ) {}

  /** The node answers, as far as this process knows. */
  get isThere(): boolean {
    return !this.isAway;
  }

  /** All connections are in use. */
  get isFull(): boolean {
    return count(this.connection.agent.requests) > 0;
  }

  /** Pings the node if it is due. Each request to the cluster calls this, on all nodes. */
  look(): void {
    const isSilent = this.silentSince !== undefined && this.now() - this.silentSince >= silenceMs;
    if (this.isAway || isSilent) this.ping();
  }

  /**
   * A request goes to the node.
   * @returns the callback for its end
   */
  begin(): EndRequest {
    const begun = this.now();
    this.silentSince ??= begun;
    this.running += 1;
    return (how) => {
      this.running -= 1;
      if (how === 'answered') this.answered();
      else if (how === 'doubted') this.doubted();
      else if (how !== 'given_up' || this.now() - begun >= silenceMs) this.failed(how === 'refused');
      else if (this.running === 0 && this.lost === 0) this.silentSince = undefined;
    };
  }

  describe(): NodeConnections {
    const { agent, url } = this.connection;
    return {
      node: url.host,
      isAway: this.isAway,
      open: count(agent.sockets) + count(agent.freeSockets),
      waiting: count(agent.requests),
      renewals: this.renewals,
    };
  }

  close(): void {
    this.isClosed = true;
    this.pinging?.destroy();
  }

  private answered(): void {
    this.isAway = false;
    this.failedPings = 0;
    this.lost = 0;
    this.silentSince = undefined;
  }

  /** An answer came, so the connections work, but a gateway may have sent it. */
  private doubted(): void {
    this.lost = 0;
    this.silentSince = undefined;
    this.ping();
  }

  /**
   * The next request goes to another node, until a ping is answered. After a refused connection the first ping can
   * wait.
   */
  private failed(refused: boolean): void {
    this.lost += 1;
    this.silentSince ??= this.now();
    if (refused && !this.isAway) this.pingDue = this.now() + pingEveryMs;
    this.isAway = true;
    this.ping();
  }

  private ping(): void {
    if (this.isClosed || this.pinging !== undefined || this.now() < this.pingDue) return;
    const agent = this.openAgent('ping');
    const end = (isThere: boolean): void => {
      if (this.pinging !== request) return;
      clearTimeout(timer);
      this.pinging = undefined;
      agent.destroy();
      this.judge(isThere);
    };
    const request = this.connection.request({ method: 'HEAD', path: '/', agent }, (error, response) => {
      silenceLateErrors(request);
      response?.resume();
      const status = response?.statusCode ?? 0;
      end(error === null && !gatewayStatuses.includes(status));
    });
    this.pinging = request;
    const timer = setTimeout(() => {
      end(false);
      request.destroy();
    }, pingLimitMs);
    timer.unref();
  }

  private judge(isThere: boolean): void {
    this.isAway = !isThere;
    this.failedPings = isThere ? 0 : this.failedPings + 1;
    const wait = pingEveryMs * 2 ** Math.max(0, this.failedPings - 1);
    this.pingDue = this.now() + Math.min(longestPingMs, wait);
    if (
      isThere &&
      this.lost >= lostBeforeRenewal &&
      this.now() - (this.silentSince ?? Infinity) >= this.patienceMs
    ) {
      this.renew();
    }
  }

  /** The node answers on a fresh connection, but no request gets through on the old ones: this drops them. */
  private renew(): void {
    const old = this.connection.agent;
    this.connection.agent = this.openAgent('requests');
    old.destroy();
    this.renewals += 1;
    this.lost = 0;
    this.silentSince = undefined;
    this.onRenewal(this.connection.url.host);
  }
}

function count(byName: NodeJS.ReadOnlyDict<readonly unknown[]>): number {
  return Object.values(byName).reduce((sum, each) => sum + (each?.length ?? 0), 0);
}
