/** A name, in which `*` stands for any text. */
export function matcherOf(text: string): (name: string) => boolean {
  const [first = '', ...rest] = text.split('*');
  return (name) => {
    if (rest.length === 0) return name === first;
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest.slice(0, -1)) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    const last = rest.at(-1) ?? '';
    return name.length - last.length >= at && name.endsWith(last);
  };
}
