export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Longer texts are not compared line by line. */
const maxLines = 400;

/** The lines to remove and to add to turn one text into the other: the longest common lines stay. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const [removed, added] = [a.map((text) => line('removed', text)), b.map((text) => line('added', text))];
  if (a.length > maxLines || b.length > maxLines) return [...removed, ...added];
  const common = lengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push(line('same', a[i] ?? ''));
      i += 1;
      j += 1;
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      lines.push(...removed.slice(i, i + 1));
      i += 1;
    } else {
      lines.push(...added.slice(j, j + 1));
      j += 1;
    }
  }
  return [...lines, ...removed.slice(i), ...added.slice(j)];
}

const line = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text });

/** Of each pair of ends, how many lines they have in common. */
function lengths(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  let below = new Array<number>(b.length + 1).fill(0);
  const rows = [below];
  for (const text of a.toReversed()) {
    const row = new Array<number>(b.length + 1).fill(0);
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = text === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
    rows.push(row);
    below = row;
  }
  return rows.toReversed();
}
