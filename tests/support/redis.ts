import { connect } from 'node:net';

/** Takes everything out of Redis, as a restart without persistence would. */
export async function flushRedis(url: string): Promise<void> {
  const answer = await commandRedis(url, ['FLUSHALL']);
  if (!answer.startsWith('+OK')) throw new Error(`FLUSHALL: ${answer}`);
}

/** One command over a connection of its own. @returns the answer as Redis sends it */
export function commandRedis(url: string, words: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const bulks = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => socket.write(`*${words.length}\r\n${bulks.join('')}`));
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(answer.toString());
    });
  });
}
