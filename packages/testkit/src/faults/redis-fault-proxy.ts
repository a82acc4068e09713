import { connect, type Socket } from 'node:net';
import { controlsOf } from './controls';
import type { Fault, FaultProxy } from './fault';
import { createFaultRules, type FaultRules } from './fault-rules';
import { openGateway } from './gateway';
import { createRespReader, type RespMessage } from './resp';

export interface RedisCall {
  /** the command, in upper case */
  readonly name: string;
  /** the command and its arguments */
  readonly words: readonly Buffer[];
  /** of EXEC: what was queued since MULTI, in the order of the commands */
  readonly transaction: readonly RedisCall[];
}

export interface RedisReply {
  /** as Redis sent it */
  readonly bytes: Buffer;
}

type RedisFault = Fault<RedisReply, string>;
export type RedisFaultProxy = FaultProxy<RedisCall, RedisReply, string>;
type Rules = FaultRules<RedisCall, RedisReply, string>;

/** What a Redis that has become a replica says to a write. */
export const readOnlyReplica = { answer: "-READONLY You can't write against a read only replica.\r\n" };

/** What a Redis at its `maxmemory` with `noeviction` says to a write. */
export const outOfMemory = { answer: "-OOM command not allowed when used memory > 'maxmemory'.\r\n" };

/**
 * Stands between one process and Redis. Commands and replies keep their bytes. Redis answers a connection's commands in
 * their order, so a command that is held holds up what was sent behind it on the same connection. A fault's `answer`
 * is a whole reply, line break included. MONITOR is not known here.
 * @param target `redis://host:port`
 */
export async function startRedisFaultProxy(target: string): Promise<RedisFaultProxy> {
  const rules: Rules = createFaultRules();
  const { hostname, port } = new URL(target);
  const upstreams = new Set<Socket>();
  const gateway = await openGateway((client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    upstreams.add(upstream);
    upstream.once('close', () => upstreams.delete(upstream));
    relay(client, upstream, rules);
  });
  return {
    url: `redis://127.0.0.1:${gateway.port}`,
    ...controlsOf(rules, gateway),
    stop: async () => {
      await gateway.stop();
      for (const upstream of upstreams) upstream.destroy();
    },
  };
}

/** A command that was passed on, or that the proxy answers itself in its turn. */
interface Outstanding {
  readonly call: RedisCall;
  readonly fault: RedisFault;
}

function relay(client: Socket, upstream: Socket, rules: Rules): void {
  const outstanding: Outstanding[] = [];
  const commands = createRespReader();
  const replies = createRespReader();
  const name = createNamer();
  let held = 0;
  const endIfDone = (): void => {
    if (client.destroyed && held === 0) upstream.destroy();
  };
  const cut = (): void => {
    client.destroy();
    upstream.destroy();
  };
  upstream.on('error', cut);
  upstream.once('close', () => client.destroy());
  client.once('close', endIfDone);

  const answerOurs = (): void => {
    for (let next = outstanding[0]; next?.fault.answer !== undefined; next = outstanding[0]) {
      outstanding.shift();
      client.write(next.fault.answer);
    }
  };

  const pass = async (message: RespMessage): Promise<void> => {
    const call = name(message);
    const fault = rules.find(call);
    if (fault.answer !== undefined) {
      outstanding.push({ call, fault });
      answerOurs();
      return;
    }
    const isMarked = fault.before !== undefined || fault.after !== undefined;
    if (isMarked) held += 1;
    if (fault.before !== undefined && (await fault.before()) === 'drop') {
      cut();
      return;
    }
    // Of what a dead process has sent, only what the test has held is still carried out.
    if (client.destroyed && !isMarked) return;
    outstanding.push({ call, fault });
    upstream.write(message.bytes);
  };
  const give = async ({ bytes, isPush }: RespMessage): Promise<void> => {
    const answered = isPush ? undefined : outstanding.shift();
    if (answered === undefined) {
      client.write(bytes);
      return;
    }
    const { call, fault } = answered;
    const reply: RedisReply = { bytes };
    rules.notify({ call, reply });
    if (fault.after !== undefined && (await fault.after(reply)) === 'cut') {
      cut();
      return;
    }
    if (fault.cutAnswerAfterBytes !== undefined) {
      client.write(bytes.subarray(0, fault.cutAnswerAfterBytes), cut);
      return;
    }
    if (!client.destroyed) client.write(bytes);
    answerOurs();
    if (fault.before !== undefined || fault.after !== undefined) held -= 1;
    endIfDone();
  };
  client.on('data', inTurn(commands.take, pass, cut));
  upstream.on('data', inTurn(replies.take, give, cut));
}

/** Works on one message after the other, however long one of them is held. */
function inTurn(
  take: (chunk: Buffer) => readonly RespMessage[],
  work: (message: RespMessage) => Promise<void>,
  onError: () => void,
): (chunk: Buffer) => void {
  let last = Promise.resolve();
  return (chunk) => {
    last = last
      .then(async () => {
        for (const message of take(chunk)) await work(message);
      })
      .catch(onError);
  };
}

/** Gives each command of one connection its name, and EXEC what it executes. */
function createNamer(): (message: RespMessage) => RedisCall {
  let queued: RedisCall[] | undefined;
  return ({ words }) => {
    const name = words[0]?.toString('latin1').toUpperCase() ?? '';
    if (name === 'EXEC') {
      const transaction = queued ?? [];
      queued = undefined;
      return { name, words, transaction };
    }
    const call: RedisCall = { name, words, transaction: [] };
    if (name === 'MULTI') queued = [];
    else if (name === 'DISCARD') queued = undefined;
    else queued?.push(call);
    return call;
  };
}
