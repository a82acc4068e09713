import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { createParser } from '@aosc/contract';
import type { Environment } from '../support/environment';

export interface StreamFigures {
  readonly pages: number;
  /** of one core, 0 to 1 */
  readonly apiShare: number;
  /** of `.aosc-migrations`, a second: searches and documents read, by all processes */
  readonly reads: number;
  /** memory of the API's process in RAM */
  readonly residentBytes: number;
}

const parseReads = createParser(
  'answer of _stats',
  Type.Object({
    _all: Type.Object({
      total: Type.Object({
        search: Type.Object({ query_total: Type.Integer() }),
        get: Type.Object({ total: Type.Integer() }),
      }),
    }),
  }),
);

/**
 * What so many open pages cost the API. @param pages that follow the events
 * @param deaf further clients that ask for the events, and take nothing of the answer
 */
export async function measureStreams(
  environment: Environment,
  { pages, deaf = 0, seconds }: { readonly pages: number; readonly deaf?: number; readonly seconds: number },
): Promise<StreamFigures> {
  const streams = await Promise.all(
    Array.from({ length: pages + deaf }, (_, n) => open(environment.apiUrl, n, n < pages)),
  );
  try {
    // The first look of each is over.
    await sleep(5_000);
    const { pid } = environment.service.api;
    const [cpu, reads, began] = [cpuSeconds(pid), await countReads(environment), performance.now()];
    await sleep(seconds * 1000);
    const span = (performance.now() - began) / 1000;
    return {
      pages,
      apiShare: (cpuSeconds(pid) - cpu) / span,
      reads: ((await countReads(environment)) - reads) / span,
      residentBytes: residentBytes(pid),
    };
  } finally {
    for (const stream of streams) stream.destroy();
  }
}

/** Each stream comes from an address of its own, because no address may have too many. Only on Linux. */
function open(apiUrl: string, n: number, isTaking: boolean): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${apiUrl}/_plugins/_aosc/_events`,
      { agent: false, localAddress: `127.0.${1 + Math.floor(n / 250)}.${1 + (n % 250)}` },
      (answer) => {
        answer.on('error', () => undefined);
        if (isTaking) answer.resume();
        resolve(answer);
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

async function countReads({ http }: Environment): Promise<number> {
  const { body } = await http.send({ method: 'GET', path: '/.aosc-migrations/_stats/search,get' });
  const { search, get } = parseReads(JSON.parse(body.toString('utf8')))._all.total;
  return search.query_total + get.total;
}

/** User and system time, in clock ticks of 10 ms; the name in field 2 may itself have blanks. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentBytes(pid: number): number {
  const line = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return Number(line?.[1] ?? Number.NaN) * 1024;
}
