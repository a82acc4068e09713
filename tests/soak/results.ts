import { createParser } from '@aosc/contract';
import { describeFigure, evaluateSoak, type SoakVerdict, type Trend } from '@aosc/testkit';
import { type Static, Type } from '@sinclair/typebox';
import { readLines } from '../support/result-lines';

const ProcessSchema = Type.Object({
  pid: Type.Integer(),
  residentBytes: Type.Number(),
  heapUsedBytes: Type.Number(),
  descriptors: Type.Integer(),
  sockets: Type.Optional(Type.Integer()),
  timers: Type.Optional(Type.Integer()),
  handles: Type.Optional(Type.Integer()),
  connections: Type.Optional(Type.Integer()),
  listenerWarnings: Type.Optional(Type.Integer()),
});
/** One migration of a soak. */
const LineSchema = Type.Object({
  /** when the soak began: its name */
  soak: Type.String(),
  /** seed of its first migration */
  firstSeed: Type.Integer(),
  /** how long it was to last */
  minutes: Type.Integer(),
  seed: Type.Integer(),
  plan: Type.String(),
  fault: Type.String(),
  /** where the migration was when it came */
  phase: Type.String(),
  end: Type.String(),
  operations: Type.Integer(),
  /** restarts, freezes and the like after the migration, in their order; left out by soaks of before */
  shaken: Type.Optional(Type.Array(Type.String())),
  problems: Type.Array(Type.String()),
  /** left out: the migration itself broke */
  sample: Type.Optional(
    Type.Object({
      processes: Type.Record(Type.String(), ProcessSchema),
      redisKeys: Type.Integer(),
      redisClients: Type.Optional(Type.Integer()),
      snapshots: Type.Integer(),
    }),
  ),
  /** names of the keys in Redis */
  keys: Type.Array(Type.String()),
  at: Type.String(),
  /** of the code that ran */
  commit: Type.String(),
});
export type SoakLine = Static<typeof LineSchema>;
const parseLine = createParser('line of the results', LineSchema);

/** The soaks of a results file, each with its migrations, in its order. */
export function readSoaks(path: string): readonly (readonly SoakLine[])[] {
  const soaks = new Map<string, SoakLine[]>();
  for (const line of readLines(path, parseLine)) {
    soaks.set(line.soak, [...(soaks.get(line.soak) ?? []), line]);
  }
  return [...soaks.values()];
}

/** The clock of a soak and that of its lines may be so far apart. */
const clockSlackMs = 1_000;

/** How long a soak lasted, to the end of its last migration. */
export function soakedMs(lines: readonly SoakLine[]): number {
  const [begin, end] = [lines[0], lines.at(-1)];
  return begin === undefined || end === undefined ? 0 : Date.parse(end.at) - Date.parse(begin.soak);
}

/** What its migrations show about memory, keys, snapshots and descriptors, and what was wrong with each of them. */
export function judgeLines(lines: readonly SoakLine[]): SoakVerdict {
  const verdict = evaluateSoak(lines.flatMap(({ sample }) => sample ?? []));
  const wrong = lines.flatMap((line) =>
    line.problems.map((problem) => `seed ${line.seed}, ${line.fault} in ${line.phase}: ${problem}`),
  );
  const minutes = lines[0]?.minutes ?? 0;
  const endedEarly =
    soakedMs(lines) + clockSlackMs < minutes * 60_000
      ? `ended after ${(soakedMs(lines) / 60_000).toFixed(1)} of ${minutes} minutes`
      : undefined;
  const tooShort = [endedEarly, verdict.tooShort].filter((why) => why !== undefined).join('; ');
  return {
    trends: verdict.trends,
    problems: [...wrong, ...verdict.problems],
    ...(tooShort !== '' && { tooShort }),
  };
}

/** The verdict in a few words. */
export function describeVerdict({ problems, tooShort }: SoakVerdict): string {
  if (problems.length > 0) return 'not as it must be';
  return tooShort === undefined ? 'flat' : `too short to say: ${tooShort}`;
}

/** @returns `+0.52 ± 0.10` for each migration: the error twice, in which the truth is nearly always */
export function describeSlope(trend: Trend): string {
  const { slope, error } = trend.line;
  const sign = slope < 0 ? '−' : '+';
  return `${sign}${describeFigure(trend, Math.abs(slope), 2)} ± ${describeFigure(trend, 2 * error, 2)}`;
}

/** @returns the medians of the thirds */
export function describeMedians(trend: Trend): readonly string[] {
  return [trend.first, trend.middle, trend.last].map((value) => describeFigure(trend, value));
}
