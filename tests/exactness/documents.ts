import type { Random } from '@aosc/testkit';
import type { Plan } from './plan';
import { refusedField } from '../support/refused-mapping';

/** `n` of a document is below this. */
export const numbers = 1000;

const titles = [
  'harbour',
  'Zürich',
  '東京',
  '🌍 👩‍👩‍👧',
  'a "quoted" word',
  'back\\slash',
  'line\nbreak',
  '\u0000\u2028',
] as const;
const plainNumbers = [
  '0',
  '-1',
  '1.0',
  '-0',
  '-0.0',
  '1.50',
  '1e3',
  '1E-7',
  '9007199254740993',
  '-9223372036854775808',
] as const;
/** Ingest can't hold these, so they stay away from a transform. */
const hugeNumbers = [
  '123456789012345678901234567890',
  '1e400',
  '0.1000000000000000055511151231257827',
] as const;
const blanks = [',', ', ', ',\t', ',\n  ', ',\r\n'] as const;
const comments = [', /* "a */ ', ',/* two\nlines */'] as const;

/** JSON text of a document that fits the plan's mapping, with what is easily lost on the way. */
export function makeDocument(random: Random, plan: Plan, id: string, isChild: boolean): string {
  if (random.next() < 0.03) return random.pick(['{}', ' { } ', '{\n}']);
  const raw = plan.transform === 'none';
  const fields = [
    `"n":${random.below(numbers)}`,
    `"group":"g${random.below(3)}"`,
    `"title":${JSON.stringify(random.pick(titles))}`,
    `"stuff":{"figure":${random.pick(raw ? [...plainNumbers, ...hugeNumbers] : plainNumbers)},"b":[1,{"}":"]"}],` +
      `"a":null,"A":{},"escaped":"\\u0041\\u00e9\\/","":""}`,
    ...featureFields(random, plan, id, isChild),
    ...(plan.refuses !== 'none' && random.next() < 0.08 ? [refusedField] : []),
  ];
  const first = fields.splice(random.below(fields.length), 1);
  const separator = random.pick(raw ? [...blanks, ...comments] : blanks);
  return `{${[...first, ...fields].join(separator)}}`;
}

function featureFields(random: Random, plan: Plan, id: string, isChild: boolean): string[] {
  const has = (feature: Parameters<typeof plan.features.has>[0]): boolean =>
    plan.features.has(feature) && random.next() < 0.7;
  const fields: string[] = [];
  if (has('nested')) {
    const part = `{"name":"p${random.below(9)}"}`;
    const item = `{"name":"i${random.below(9)}","parts":[${part},${part}]}`;
    fields.push(`"items":[${Array.from({ length: random.below(4) }, () => item).join(',')}]`);
  }
  if (plan.features.has('join')) {
    fields.push(
      isChild ? `"relation":{"name":"answer","parent":${JSON.stringify(id)}}` : '"relation":"question"',
    );
  }
  if (has('percolator')) fields.push(`"query":{"term":{"group":"g${random.below(3)}"}}`);
  if (has('dynamic_templates')) {
    fields.push(`"word_${random.below(3)}":"${'w'.repeat(random.below(40))}","some_${random.below(3)}":true`);
  }
  if (has('flat_object')) fields.push(`"flat":{"x":{"y":"${random.below(9)}"}}`);
  return fields;
}
