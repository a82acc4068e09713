/**
 * Sorts the members of a JSON object without blanks, as they are spelt. A pipeline writes a document's members in the
 * order of a hash table. A bulk and `_simulate` may order them differently, because they put different metadata into
 * that table (OpenSearch 3.8.0); all else they spell alike. This takes a fifth of the time that `meaningOf` takes.
 * @throws SyntaxError when a string does not end
 */
export function sortedMembers({ buffer, byteOffset, length }: Uint8Array): Buffer {
  const text = Buffer.from(buffer, byteOffset, length).toString('latin1');
  const members: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '"':
        at = endOfString(text, at);
        break;
      case '{':
      case '[':
        if (depth++ === 0) start = at + 1;
        break;
      case '}':
      case ']':
        if (--depth === 0) members.push(text.slice(start, at));
        break;
      case ',':
        if (depth === 1) {
          members.push(text.slice(start, at));
          start = at + 1;
        }
    }
  }
  return Buffer.from(members.toSorted().join(), 'latin1');
}

/** @returns where the string's last quote stands */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end;
  }
  throw new SyntaxError('a string of a document does not end');
}
