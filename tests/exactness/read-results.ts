import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
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

/**
 * The runs of a results file, one line of JSON each.
 * @throws Error with the number of the line that is none
 */
export function readResults(text: string): readonly Summarized[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    try {
      const run = parse(JSON.parse(line));
      const zeros = Object.fromEntries(counted.map((name) => [name, 0])) as Record<
        (typeof counted)[number],
        number
      >;
      return [{ ...zeros, ...run }];
    } catch (cause) {
      throw new Error(`line ${at + 1} is no result of a run`, { cause });
    }
  });
}
