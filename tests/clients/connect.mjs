import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { connect as connectSecurely } from 'node:tls';

/** Opens a connection from one of the addresses of this machine; errors are left to `close`. */
export function open({ port, isSecure, localAddress }) {
  const target = { port, host: '127.0.0.1', localAddress };
  const socket = isSecure ? connectSecurely({ ...target, rejectUnauthorized: false }) : connect(target);
  return socket.on('error', () => undefined);
}

/** Runs until stdin ends, and prints then what was counted. */
export function countUntilTheEnd(counts) {
  process.stdin.resume();
  process.stdin.once('end', () => {
    console.log(JSON.stringify({ seconds: Math.round(performance.now() / 1_000), ...counts }));
    process.exit(0);
  });
}
