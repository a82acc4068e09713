import { isDeepStrictEqual } from 'node:util';
import { type CheckedAnswer, createRandom, type Random } from '@aosc/testkit';
import { type Arena, secrets } from './arena';
import { createGrower } from './grow';
import type { Grower, Names } from './grower';

/** So many starts are under way at the same moment. */
const atOnce = 4;
/** Everything but the answers is looked at after so many. */
const lookEvery = 2_000;

const names: Names = {
  own: ['a-source', 'a-target', 'a-alias', 'a-new'],
  foreign: [
    'b-secret',
    'b-alias',
    'b-*',
    '*',
    '_all',
    'a-*,b-secret',
    '<b-{now/d}>',
    '.aosc-migrations',
    'aosc-fence-0123456789abcdef0123-0-1',
    'aosc-token-0123456789abcdef0123',
    '.opensearch-sap',
    '.b',
    '..',
    'constructor',
    '__proto__',
    'a-secret/../b-secret',
    'a-\u0000',
    'a-' + 'x'.repeat(300),
    'remote:b-secret',
  ],
  fields: [
    'k',
    't',
    'n',
    'd',
    'ip',
    'at',
    'area',
    'lines',
    'lines.k',
    'kind',
    '_id',
    '_index',
    '_source',
    'none',
    '*',
  ],
};

const knownStatuses = [400, 403, 404, 409, 413, 429];

export interface Start {
  readonly source: string;
  readonly body: unknown;
}

/** What a run of starts has come to. */
export interface Outcome {
  readonly starts: number;
  /** by status, and those that the cluster itself has judged */
  readonly statuses: ReadonlyMap<number, number>;
  readonly asFarAsTheCluster: number;
}

/** The start of a number: it depends only on seed and number. */
export function drawStart(seed: number, number: number): Start {
  const random = createRandom(seed * 1_000_003 + number);
  const grower = createGrower(random, names);
  const own = grower.chance(0.8);
  const source = own ? 'a-source' : grower.name();
  return {
    source,
    body: {
      target_index: own || grower.chance(0.5) ? 'a-target' : grower.name(),
      alias: grower.chance(0.9) ? 'a-alias' : grower.name(),
      ...(grower.chance(0.08) && { transform_script: drawScript(grower) }),
      options: drawOptions(grower, random),
    },
  };
}

function drawScript(grower: Grower): unknown {
  const script = grower.script();
  if (!grower.chance(0.8) || typeof script !== 'object') return script;
  return { type: grower.chance(0.5) ? 'inline' : 'stored', ...script, lang: undefined };
}

function drawOptions(grower: Grower, random: Random): unknown {
  const settings = [
    'index.refresh_interval',
    'index.blocks.write',
    'index.x',
    'index.default_pipeline',
    'index.*',
  ];
  return {
    validation_query: grower.chance(0.97) ? grower.query() : grower.json(),
    ...(grower.chance(0.05) && {
      transient_target_settings: { [random.pick(settings as [string, ...string[]])]: grower.value() },
    }),
    ...(grower.chance(0.02) && { doc_count_tolerance: grower.json() }),
  };
}

/** @throws Error with the start and what was wrong with its answer */
function evaluateAnswer(start: Start, answer: CheckedAnswer): void {
  const text = JSON.stringify(answer.body);
  const told = secrets.filter((secret) => text.includes(secret));
  const problem =
    told.length > 0
      ? 'it holds what only another index has'
      : knownStatuses.includes(answer.status)
        ? undefined
        : 'no start may be answered so';
  if (problem === undefined) return;
  throw new Error(
    `${problem}: ${answer.status} ${text.slice(0, 1_000)}\n${JSON.stringify(start).slice(0, 4_000)}`,
  );
}

/** Sends the starts of a seed. @throws Error at the first thing that must not be */
export async function runStarts(
  arena: Arena,
  { seed, starts, report }: { seed: number; starts: number; report?: (done: number) => void },
): Promise<Outcome> {
  const before = await arena.look();
  const statuses = new Map<number, number>();
  let asFarAsTheCluster = 0;
  const send = async (number: number): Promise<void> => {
    const start = drawStart(seed, number);
    const answer = await arena.start(start.source, start.body);
    try {
      evaluateAnswer(start, answer);
    } catch (error) {
      throw new Error(`seed ${seed}, start ${number}: ${String(error)}`, { cause: error });
    }
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (/open points in time|shard_exception|answered 400/.test(JSON.stringify(answer.body)))
      asFarAsTheCluster += 1;
  };
  const check = async (done: number): Promise<void> => {
    const after = await arena.look();
    if (!isDeepStrictEqual(after, before)) {
      throw new Error(
        `seed ${seed}: something has changed before start ${done}: ${JSON.stringify(before)}\n${JSON.stringify(after)}`,
      );
    }
    report?.(done);
  };
  for (let from = 0; from < starts; from += atOnce) {
    const many = Math.min(atOnce, starts - from);
    await Promise.all(Array.from({ length: many }, (_, at) => send(from + at)));
    if (from % lookEvery < atOnce) await check(from + many);
  }
  await check(starts);
  await arena.expectIdle();
  return { starts, statuses, asFarAsTheCluster };
}
