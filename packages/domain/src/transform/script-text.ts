/** A piece of a script. Blanks and comments are not tokens. */
interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'sign';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const blank = /(?:\s+|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/)+/y;
const text = /'(?:\\['\\]|[^'\\])*'|"(?:\\["\\]|[^"\\])*"/y;
const regex = /\/(?:\\[^\n]|[^/\n])+?\/[cilmsUux]*/y;
const name = /[A-Za-z_]\w*/y;
const number = /\d[\w.]*/y;

/** After one of these a slash begins a regular expression, as after a sign; after any other name it divides. */
const keywords = new Set(
  'if else while do for in continue break return new try catch throw this instanceof'.split(' '),
);

/**
 * A script's own functions, which Painless takes at the beginning only, and the statements behind them. Joined they are
 * the script. The function reads what Painless' lexer reads (3.7.0, `PainlessLexer.g4`): blanks, comments, texts,
 * regular expressions, names and signs.
 * @returns undefined when a brace is left open or closes nothing: such a script does not compile
 */
export function splitScript(
  source: string,
): { readonly functions: string; readonly statements: string; readonly lacksSemicolon: boolean } | undefined {
  const tokens = readTokens(source);
  let first = 0;
  for (;;) {
    const open = endOfHeader(tokens, first);
    if (open === undefined) break;
    const close = endOfBlock(tokens, open);
    if (close === undefined) return undefined;
    first = close;
  }
  if (!isBalanced(tokens.slice(first))) return undefined;
  const end = tokens[first - 1]?.end ?? 0;
  const last = tokens.length > first ? tokens.at(-1)?.text : undefined;
  const endsBlock = last === '}' && !endsValue(tokens);
  return {
    functions: source.slice(0, end),
    statements: source.slice(end),
    // At the end of a script the last statement needs no semicolon. At the end of a block it needs one if it is the
    // body of an `if` or a loop without braces.
    lacksSemicolon: last !== undefined && last !== ';' && !endsBlock,
  };
}

function readTokens(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length;) {
    const behind = skip(blank, source, at);
    if (behind > at) {
      at = behind;
      continue;
    }
    const [kind, end] = readToken(source, at, divides(tokens));
    tokens.push({ kind, text: source.slice(at, end), start: at, end });
    at = end;
  }
  return tokens;
}

function readToken(source: string, at: number, isDivided: boolean): readonly [Token['kind'], number] {
  const kinds = [
    ['text', text],
    ...(isDivided ? [] : ([['text', regex]] as const)),
    ['name', name],
    ['number', number],
  ] as const;
  for (const [kind, pattern] of kinds) {
    const end = skip(pattern, source, at);
    if (end > at) return [kind, end];
  }
  return ['sign', at + 1];
}

/** Whether a slash behind these tokens divides, by the rule of `isSlashRegex` in Painless' lexer. */
function divides(tokens: readonly Token[]): boolean {
  const before = tokens.at(-1);
  if (before === undefined) return false;
  // Behind a dot any name is a field's.
  if (before.kind === 'name') return !keywords.has(before.text) || tokens.at(-2)?.text === '.';
  return before.kind === 'number' || before.text === ')' || before.text === ']';
}

/** `java.util.Map twice(int n) {` @returns behind the brace; undefined where no function begins */
function endOfHeader(tokens: readonly Token[], from: number): number | undefined {
  const isName = (at: number): boolean => tokens[at]?.kind === 'name' && !keywords.has(tokens[at].text);
  const is = (at: number, sign: string): boolean => tokens[at]?.text === sign;
  let at = from;
  if (!isName(at)) return undefined;
  at += 1;
  while (is(at, '.') && isName(at + 1)) at += 2;
  while (is(at, '[') && is(at + 1, ']')) at += 2;
  if (!isName(at) || !is(at + 1, '(')) return undefined;
  const close = tokens.findIndex((token, index) => index > at && token.text === ')');
  return close !== -1 && is(close + 1, '{') ? close + 2 : undefined;
}

/** @param from behind the opening brace @returns behind the closing one; undefined: there is none */
function endOfBlock(tokens: readonly Token[], from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < tokens.length; at += 1) {
    depth += depthOf(tokens[at]);
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** Whether the brace at the end closes the elements of an array or the body of a lambda, and a value with it. */
function endsValue(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (let at = tokens.length - 1; at >= 0; at -= 1) {
    depth -= depthOf(tokens[at]);
    if (depth > 0) continue;
    const before = tokens[at - 1]?.text;
    return before === ']' || (before === '>' && tokens[at - 2]?.text === '-');
  }
  return false;
}

function isBalanced(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const token of tokens) {
    depth += depthOf(token);
    if (depth < 0) return false;
  }
  return depth === 0;
}

function depthOf(token: Token | undefined): number {
  return token?.text === '{' ? 1 : token?.text === '}' ? -1 : 0;
}

/** @returns behind what the pattern matches at a place; the place itself when it does not */
function skip(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(source)?.[0].length ?? 0);
}
