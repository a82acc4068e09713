import { connect } from 'node:net';

/** One command over a connection of its own. @returns the answer as Redis sends it */
export function commandRedis(url: string, words: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const bulks = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let answer = '';
    socket.once('connect', () => socket.write(`*${words.length}\r\n${bulks.join('')}`));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`Redis at ${url} has closed the connection`)));
    socket.on('data', (bytes) => {
      answer += bytes.toString();
      if (!isWhole(answer)) return;
      resolve(answer);
      socket.destroy();
    });
  });
}

/** A text of a known length may come in parts; other answers that are asked for are short. */
function isWhole(answer: string): boolean {
  const length = /^\$(\d+)\r\n/.exec(answer);
  return length === null || Buffer.byteLength(answer) >= length[0].length + Number(length[1]) + 2;
}
