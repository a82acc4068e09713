// `node holders.mjs <port> <http|tls> <connections>`: ten addresses that want more connections than one may hold and open
// them faster than one may, until stdin ends. A third is silent (before TLS, too), a third sends a header without end, a
// third a body. What is closed is opened again after a while.
import { clearInterval, setInterval } from 'node:timers';
import { countUntilTheEnd, open } from './connect.mjs';

const [port, isSecure, total] = [Number(process.argv[2]), process.argv[3] === 'tls', Number(process.argv[4])];
const addresses = 10;
const spreadMs = 2_000;
const pauseMs = 5_000;
const dripMs = 1_000;
const head = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n';
const body = `${head.replace('GET', 'POST')}content-type: application/json\r\ncontent-length: 900000\r\n\r\n`;
/** What each kind says first, and then once a second. */
const kinds = [undefined, [head, 'x: y\r\n'], [body, '{']];
const counts = { tried: 0, opened: 0, closed: 0 };

function hold(number) {
  const says = kinds[number % kinds.length];
  const localAddress = `127.0.0.${11 + (number % addresses)}`;
  counts.tried += 1;
  const socket = open({ port, isSecure: isSecure && says !== undefined, localAddress });
  let drip;
  socket.once('connect', () => (counts.opened += 1));
  if (says !== undefined) {
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      socket.write(says[0]);
      drip = setInterval(() => socket.write(says[1]), dripMs);
    });
  }
  socket.resume();
  socket.once('close', () => {
    counts.closed += 1;
    clearInterval(drip);
    setTimeout(() => hold(number), pauseMs);
  });
}

for (let number = 0; number < total; number += 1) setTimeout(() => hold(number), (number * spreadMs) / total);
countUntilTheEnd(counts);
