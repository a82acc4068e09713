// `node attack.mjs <port> <http|tls> <connections>`: clients that mean no good, as a process of their own, until stdin
// ends. Prints what they did as JSON. A third of the connections is silent, a third sends a header without end, a third
// a body; each of ten addresses asks for more than one may, and ten others send wrong passwords as fast as they can.
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { clearInterval, setInterval } from 'node:timers';
import { connect as connectSecurely } from 'node:tls';

const [port, scheme, total] = [Number(process.argv[2]), process.argv[3], Number(process.argv[4])];
const holders = 10;
const guessers = 10;
const guessesAtOnce = 30;
/** Clients that are turned away come back after this. */
const holdPauseMs = 5_000;
const guessPauseMs = 500;
const counts = { opened: 0, closed: 0, guesses: {}, guessesFailed: 0 };
let isOver = false;

function open(localAddress) {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  return socket;
}

function secured(socket) {
  if (scheme !== 'tls') return socket;
  const secure = connectSecurely({ socket, rejectUnauthorized: false });
  secure.on('error', () => undefined);
  return secure;
}

/** Holds one place for as long as it is let, and takes it again. */
function hold(number) {
  if (isOver) return;
  const raw = open(`127.0.0.${11 + (number % holders)}`);
  const kind = number % 3;
  let drip;
  raw.once('connect', () => {
    counts.opened += 1;
    if (kind === 0) return;
    const socket = secured(raw);
    const head = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n';
    const body = `${head.replace('GET', 'POST')}content-type: application/json\r\ncontent-length: 900000\r\n\r\n`;
    socket.write(kind === 1 ? head : body);
    drip = setInterval(() => socket.write(kind === 1 ? 'x: y\r\n' : '{'), 1_000);
  });
  raw.resume();
  raw.once('close', () => {
    counts.closed += 1;
    clearInterval(drip);
    setTimeout(() => hold(number), holdPauseMs);
  });
}

/** Guesses passwords over one connection after the other. */
function guess(number) {
  if (isOver) return;
  const socket = secured(open(`127.0.0.${31 + (number % guessers)}`));
  let asked = 0;
  const ask = () => {
    asked += 1;
    const wrong = Buffer.from(`ann:${number}-${Math.random()}`).toString('base64');
    socket.write(`GET /metrics HTTP/1.1\r\nhost: localhost\r\nauthorization: Basic ${wrong}\r\n\r\n`);
  };
  socket.once(scheme === 'tls' ? 'secureConnect' : 'connect', ask);
  socket.on('data', (data) => {
    const status = /^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1];
    if (status === undefined) return;
    counts.guesses[status] = (counts.guesses[status] ?? 0) + 1;
    if (isOver) socket.destroy();
    // three times the rate that is let through
    else setTimeout(ask, 1_000 / (300 / guessesAtOnce));
  });
  socket.once('close', () => {
    if (asked === 0) counts.guessesFailed += 1;
    setTimeout(() => guess(number), guessPauseMs);
  });
}

for (let number = 0; number < total; number += 1) setTimeout(() => hold(number), (number * 2_000) / total);
for (let number = 0; number < guessers * guessesAtOnce; number += 1) guess(number);
process.stdin.resume();
process.stdin.once('end', () => {
  isOver = true;
  console.log(JSON.stringify(counts));
  process.exit(0);
});
