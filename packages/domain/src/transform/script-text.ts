/** `int twice(int n) {`: Painless takes functions at the beginning of a script only. */
const header = /(?:[A-Za-z_][\w.]*(?:\s*\[\s*\])*)\s+[A-Za-z_]\w*\s*\([^(){}]*\)\s*\{/y;
const blank = /(?:\s+|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/)*/y;
/** What may hold a brace that is none: comments and texts. */
const opaque = /\/\/[^\n\r]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/y;

/**
 * A script's own functions, and what comes after them. Put together they are the script.
 *
 * It reads what it has to know of Painless, and takes a brace in a regular expression for one. A place that is wrong by that is
 * inside a function or between two of them, where no other function may begin: whoever puts one there learns it from the
 * compiler.
 */
export function splitLeadingFunctions(source: string): readonly [functions: string, rest: string] {
  let end = 0;
  for (;;) {
    const start = skip(blank, source, end);
    const open = skip(header, source, start);
    if (open === start) return [source.slice(0, end), source.slice(end)];
    const close = endOfBlock(source, open);
    if (close === undefined) return [source.slice(0, end), source.slice(end)];
    end = close;
  }
}

/**
 * Whether a script's last statement has nothing at its end. At the end of a script that is enough, but at the end of a
 * block only where the statement is not a condition's.
 */
export function lacksSemicolon(source: string): boolean {
  let last = '';
  for (let at = 0; at < source.length;) {
    const behind = skip(blank, source, at);
    if (behind > at) {
      at = behind;
      continue;
    }
    const next = Math.max(skip(opaque, source, at), at + 1);
    last = source.charAt(next - 1);
    at = next;
  }
  return last !== '' && last !== ';' && last !== '}';
}

/** @param from behind the block's opening brace @returns behind its closing one */
function endOfBlock(source: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < source.length;) {
    const next = skip(opaque, source, at);
    if (next > at) {
      at = next;
      continue;
    }
    if (source[at] === '{') depth += 1;
    if (source[at] === '}') depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** @returns behind what the pattern matches at a place; the place itself when it does not */
function skip(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(source)?.[0].length ?? 0);
}
