import { connect } from 'node:net';

/** Takes everything out of Redis, as a restart without persistence would. */
export function flushRedis(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => socket.write('FLUSHALL\r\n'));
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      if (answer.toString().startsWith('+OK')) resolve();
      else reject(new Error(`FLUSHALL: ${answer.toString()}`));
    });
  });
}
