import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { readLines } from '../support/result-lines';
import { outcomes } from './run';
import { counted, type Summarized } from './summary';

const parse = createParser(
  'line of the results',
  Type.Intersect([
    Type.Object({ outcome: Type.Union(outcomes.map((outcome) => Type.Literal(outcome))) }),
    // Lines of an older form may lack some.
    Type.Partial(Type.Record(Type.Union(counted.map((name) => Type.Literal(name))), Type.Integer())),
  ]),
);

/** The runs of a results file. @throws Error with the number of the line that is none */
export function readResults(file: string): readonly Summarized[] {
  const zeros = Object.fromEntries(counted.map((name) => [name, 0])) as Record<
    (typeof counted)[number],
    number
  >;
  return readLines(file, parse).map((run) => ({ ...zeros, ...run }));
}
