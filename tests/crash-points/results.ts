import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createParser } from '@aosc/contract';
import { type Static, Type } from '@sinclair/typebox';
import { describePoint, type Point } from './place';
import type { PointResult } from './run-point';

const ResultSchema = Type.Object({
  scenario: Type.String(),
  place: Type.String(),
  moment: Type.Union([
    Type.Literal('before'),
    Type.Literal('after'),
    Type.Literal('late'),
    Type.Literal('last'),
  ]),
  outcome: Type.Union([Type.Literal('passed'), Type.Literal('failed'), Type.Literal('missed')]),
  problems: Type.Array(Type.String()),
  elapsedMs: Type.Integer(),
});
export type Result = Static<typeof ResultSchema>;
const parse = createParser('result of a crash point', ResultSchema);

/** The results of several sittings: one line of JSON for each run. */
export function appendResult(file: string, result: PointResult): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(result)}\n`);
}

/** The last run of each point decides, unless it has only missed a point that was met before. */
export function readResults(file: string): ReadonlyMap<string, Result> {
  const last = new Map<string, Result>();
  if (!existsSync(file)) return last;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const result = parse(JSON.parse(line));
    const name = describePoint(result);
    if (result.outcome === 'missed' && last.has(name)) continue;
    last.set(name, result);
  }
  return last;
}

export function outcomeOf(results: ReadonlyMap<string, Result>, point: Point): Result['outcome'] | 'not run' {
  return results.get(describePoint(point))?.outcome ?? 'not run';
}
