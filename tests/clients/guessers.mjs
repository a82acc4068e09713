// `node guessers.mjs <port> <http|tls>`: ten addresses that send wrong passwords over 30 connections each, three times
// as fast as an address may ask, until stdin ends. What is closed is opened again after half a second.
import { Buffer } from 'node:buffer';
import { countUntilTheEnd, open } from './connect.mjs';

const [port, isSecure] = [Number(process.argv[2]), process.argv[3] === 'tls'];
const addresses = 10;
const connectionsOfAddress = 30;
/** So that 30 connections ask 300 times a second. */
const betweenMs = 100;
const pauseMs = 500;
const counts = { tried: 0, opened: 0, asked: 0, cutOff: 0, answers: {} };

function guess(number) {
  counts.tried += 1;
  const socket = open({ port, isSecure, localAddress: `127.0.0.${31 + (number % addresses)}` });
  let isWaiting = false;
  const ask = () => {
    if (!socket.writable) return;
    counts.asked += 1;
    isWaiting = true;
    const wrong = Buffer.from(`ann:${number}-${Math.random()}`).toString('base64');
    socket.write(`GET /metrics HTTP/1.1\r\nhost: localhost\r\nauthorization: Basic ${wrong}\r\n\r\n`);
  };
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    counts.opened += 1;
    ask();
  });
  socket.on('data', (data) => {
    const status = /^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1];
    if (status === undefined) return;
    isWaiting = false;
    counts.answers[status] = (counts.answers[status] ?? 0) + 1;
    setTimeout(ask, betweenMs);
  });
  socket.once('close', () => {
    if (isWaiting) counts.cutOff += 1;
    setTimeout(() => guess(number), pauseMs);
  });
}

for (let number = 0; number < addresses * connectionsOfAddress; number += 1) guess(number);
countUntilTheEnd(counts);
