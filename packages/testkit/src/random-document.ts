import type { Random } from './random';

const words = [
  'harbour',
  'Zürich',
  '東京',
  'façade',
  'naïve',
  '🌍',
  'a "quoted" word',
  'back\\slash',
  'tab\there',
] as const;
const numbers = [
  '0',
  '-1',
  '1.0',
  '1.50',
  '1e3',
  '1E-7',
  '9007199254740993',
  '-9223372036854775808',
  '0.1000000000000000055511151231257827',
] as const;

/**
 * The writers' default document, as JSON text: the id and the revision, and what is easily lost on the way: integers
 * beyond 2^53, `1.0`, exponents, key order, escapes, blanks and (in some) line breaks between tokens. Fits the mapping
 * of `createSourceIndex`.
 */
export function makeDocument(random: Random, document: { id: string; revision: number }): string {
  const fields = [
    `"key":${JSON.stringify(document.id)}`,
    `"revision":${document.revision}`,
    `"title":${JSON.stringify(random.pick(words))}`,
    `"figure":${random.pick(numbers)}`,
    `"body":${JSON.stringify(`${random.pick(words)} `.repeat(1 + random.below(12)))}`,
    `"nested":{"b":[1,2.0,{"deep":"}]"}],"a":null,"empty":{}}`,
    `"escaped":"\\u0041\\u00e9\\/"`,
  ];
  const first = fields.splice(random.below(fields.length), 1);
  const separator = random.pick([',', ', ', ' , ', ',\t', ',', ',\n  ', ',\r\n']);
  return `{${[...first, ...fields].join(separator)}}`;
}

/** The writers' default partial update. */
export function makePartial(random: Random, document: { revision: number }): string {
  return `{"revision":${document.revision},"touched":"${random.below(1_000_000)}"}`;
}
