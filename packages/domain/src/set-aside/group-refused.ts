import { type SetAside, shorten } from '@aosc/contract';

const longestReason = 200;
const longestId = 80;

/** Where OpenSearch begins to quote the document: its id, the value, or the bytes of a term. */
const quotes =
  /(?: in document with id '|\.? Preview of field's value: | The prefix of the first immense term is: ).*$/s;
/** Where in the bytes of the document the parser stands. */
const position = /^\[\d+:\d+\] /;
const number = /For input string: ".*"/gs;
const date = /^(failed to parse date field) \[.*?\] (with format)/s;

/** The reason for which a document is refused, without what it quotes: that is a person's data, and differs in each document. */
export function reasonWithoutValues(reason: string): string {
  const bare = reason
    .replace(quotes, '')
    .replace(position, '')
    .replace(number, 'For input string')
    .replace(date, '$1 $2');
  return shorten(bare, longestReason);
}

interface Refused {
  readonly id: string;
  readonly type: string;
  /** as {@link reasonWithoutValues} gives it */
  readonly reason: string;
}

/** The most frequent reason first. @param samples the most ids that a reason names */
export function groupRefused(refused: readonly Refused[], samples: number): SetAside['reasons'] {
  const groups = new Map<string, { type: string; reason: string; count: number; sampleIds: string[] }>();
  for (const { id, type, reason } of refused) {
    const name = `${type}: ${reason}`;
    const group = groups.get(name) ?? { type, reason, count: 0, sampleIds: [] };
    groups.set(name, group);
    group.count++;
    if (group.sampleIds.length < samples) group.sampleIds.push(id);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

/** As a status and an error name it. */
export const withShortId = <T extends Refused>(refused: T): T => ({
  ...refused,
  id: shorten(refused.id, longestId),
});

/** Names them all, by reason. */
export function describeRefused(refused: readonly Refused[]): string {
  return groupRefused(refused.map(withShortId), refused.length)
    .map(({ type, reason, count, sampleIds }) => {
      const ids = sampleIds.map((id) => `[${id}]`).join(', ');
      return `${type}: ${reason} (${count}: ${ids})`;
    })
    .join('; ');
}
