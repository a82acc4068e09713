// `node good-client.mjs`: reads its orders as JSON from stdin and asks at a fixed rate, in turn by key, by password and
// without any, over a connection that stays and over new ones. Prints each request as JSON: its kind, the milliseconds
// from when it was due to the last byte of its answer (a wait for the server counts), and the status or the error.
import { Agent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const orders = JSON.parse(await text(process.stdin));
const { port, isSecure, ca, authorizations, requestsPerSecond, seconds } = orders;
const timeoutMs = 30_000;
const kept = isSecure ? new SecureAgent({ keepAlive: true, ca }) : new Agent({ keepAlive: true });
const kinds = [undefined, ...Object.keys(authorizations)].flatMap((who) => [
  { who, isNew: false },
  { who, isNew: true },
]);

function ask(target) {
  return new Promise((resolve) => {
    const failed = (error) => resolve(error.code ?? error.message);
    const outgoing = (isSecure ? secureRequest : plainRequest)(target, (answer) => {
      answer.resume();
      answer.on('error', failed);
      answer.on('end', () => resolve(answer.statusCode));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in ${timeoutMs / 1_000} s`)));
    outgoing.on('error', failed);
    outgoing.end();
  });
}

const begin = performance.now();
const asks = [];
for (let count = 0; count < requestsPerSecond * seconds; count += 1) {
  const dueAt = begin + (count * 1_000) / requestsPerSecond;
  await sleep(Math.max(0, dueAt - performance.now()));
  const { who, isNew } = kinds[count % kinds.length];
  const target = {
    host: '127.0.0.1',
    port,
    path: who === undefined ? '/healthz' : '/metrics',
    headers: { host: 'localhost', ...(who !== undefined && { authorization: authorizations[who] }) },
    agent: isNew ? false : kept,
    timeout: timeoutMs,
    ca,
  };
  const kind = `${who ?? 'open'}, ${isNew ? 'new connection' : 'kept connection'}`;
  asks.push(
    ask(target).then((result) => ({ kind, latencyMs: Math.round(performance.now() - dueAt), result })),
  );
}
console.log(JSON.stringify(await Promise.all(asks)));
kept.destroy();
