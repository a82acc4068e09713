import { createParser } from '@aosc/contract';
import { type Static, Type } from '@sinclair/typebox';
import { readLines } from '../support/result-lines';
import { describePoint, type Point } from './place';

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
  /** of the code that ran; the first results have none */
  commit: Type.Optional(Type.String()),
  /** when it had run, ISO; the first results have none */
  at: Type.Optional(Type.String()),
});
export type Result = Static<typeof ResultSchema>;
const parse = createParser('result of a crash point', ResultSchema);

/** What became of one point, in all its runs. */
interface History {
  /** The last run decides, unless it has only missed the point and another one has not. */
  readonly last: Result;
  /** in their order; a later pass does not undo them */
  readonly failures: readonly Result[];
}

export type Histories = ReadonlyMap<string, History>;

export function readResults(file: string): Histories {
  const histories = new Map<string, History>();
  for (const result of readLines(file, parse)) {
    const name = describePoint(result);
    const before = histories.get(name);
    const failures = before?.failures ?? [];
    histories.set(name, {
      last: result.outcome === 'missed' ? (before?.last ?? result) : result,
      failures: result.outcome === 'failed' ? [...failures, result] : failures,
    });
  }
  return histories;
}

export function outcomeOf(results: Histories, point: Point): Result['outcome'] | 'not run' {
  return results.get(describePoint(point))?.last.outcome ?? 'not run';
}
