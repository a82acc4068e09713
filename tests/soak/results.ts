import { readFileSync } from 'node:fs';
import { createParser } from '@aosc/contract';
import { judgeSoak, type SoakVerdict } from '@aosc/testkit';
import { type Static, Type } from '@sinclair/typebox';

const ProcessSchema = Type.Object({
  pid: Type.Integer(),
  residentBytes: Type.Number(),
  heapUsedBytes: Type.Number(),
  descriptors: Type.Integer(),
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
  problems: Type.Array(Type.String()),
  /** left out: the migration itself broke */
  sample: Type.Optional(
    Type.Object({
      processes: Type.Record(Type.String(), ProcessSchema),
      redisKeys: Type.Integer(),
      snapshots: Type.Integer(),
    }),
  ),
  /** names of the keys in Redis */
  keys: Type.Array(Type.String()),
  at: Type.String(),
});
export type SoakLine = Static<typeof LineSchema>;
const parseLine = createParser('line of the results', LineSchema);

/** The soaks of a results file, each with its migrations, in its order. */
export function readSoaks(path: string): readonly (readonly SoakLine[])[] {
  const soaks = new Map<string, SoakLine[]>();
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    if (text === '') continue;
    const line = parseLine(JSON.parse(text));
    soaks.set(line.soak, [...(soaks.get(line.soak) ?? []), line]);
  }
  return [...soaks.values()];
}

/** What its migrations show about memory, keys, snapshots and descriptors, and what was wrong with each of them. */
export function judgeLines(lines: readonly SoakLine[]): SoakVerdict {
  const { trends, problems } = judgeSoak(lines.flatMap(({ sample }) => sample ?? []));
  const wrong = lines.flatMap((line) =>
    line.problems.map((problem) => `seed ${line.seed}, ${line.fault} in ${line.phase}: ${problem}`),
  );
  return { trends, problems: [...wrong, ...problems] };
}
