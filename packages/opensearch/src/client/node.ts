import type { Connection } from '@opensearch-project/opensearch';
import type { ClientRequest, Agent } from 'node:http';
import { silenceLateErrors } from './read-body';
import type { NodeConnections } from './types';

/** A node that is silent for so long is asked whether it is there. */
const silenceMs = 2_000;
const pingLimitMs = 3_000;
/** Pings of a node that is away are so far apart, then twice as far, up to the longest. */
const pingEveryMs = 1_000;
const longestPingMs = 10_000;
/** So many requests without an answer in a row mean that the connections are no good, when the node itself answers. */
const lostBeforeRenewal = 3;

/**
 * @param how `doubted`: a gateway in front of it may have answered; `refused`: nobody listens there; `given_up`: its
 *   caller had no more use for it
 */
export type EndRequest = (how: 'answered' | 'doubted' | 'lost' | 'refused' | 'given_up') => void;
/** What a gateway answers for a node that is not there. OpenSearch itself says 503, too: a ping decides. */
export const gatewayStatuses: readonly number[] = [502, 503, 504];

/**
 * One node as this process reaches it. Requests tell how they fared, and a doubt is settled by a ping on a connection of
 * its own: one at a time, and its answer is read.
 */
export class Node {
  private isAway = false;
  private running = 0;
  /** since the last answer: requests that ended without one, and when the first of all began */
  private lost = 0;
  private silentSince: number | undefined;
  private pinging: ClientRequest | undefined;
  private pingDue = 0;
  private failedPings = 0;
  private renewals = 0;
  private isClosed = false;

  /**
   * @param openAgent gives fresh connections; `ping`: for one request alone
   * @param patienceMs without any answer for so long, connections can be renewed
   * @param now of a clock that never jumps
   */
  constructor(
    readonly connection: Connection,
    private readonly openAgent: (purpose: 'requests' | 'ping') => Agent,
    private readonly patienceMs: number,
    private readonly now: () => number,
    private readonly onRenewal: (node: string) => void,
  ) {}

  /** It may be asked: it answers, as far as anybody knows. */
  get isThere(): boolean {
    return !this.isAway;
  }

  /** All connections are taken. */
  get isFull(): boolean {
    return count(this.connection.agent.requests) > 0;
  }

  /** Looks after it at each request to the cluster, to whichever node that goes. */
  look(): void {
    const isSilent = this.silentSince !== undefined && this.now() - this.silentSince >= silenceMs;
    if (this.isAway || isSilent) this.ping();
  }

  /** A request goes to it. @returns to be called at its end */
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

  /** The connections are good. */
  private doubted(): void {
    this.lost = 0;
    this.silentSince = undefined;
    this.ping();
  }

  /** The next request goes to another node, until a ping is answered. Where nobody listened, it need not be sent at once. */
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

  /** The node answers on a fresh connection, and no request gets through on the others: they are given up. */
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
