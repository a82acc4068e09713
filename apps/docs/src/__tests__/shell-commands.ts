/** A command of a script: its words, as a shell would hand them over. */
export type ShellCommand = readonly string[];

const before = new Set(['do', 'then', 'else', 'while', 'until', 'if', 'elif', '!', '{', 'time']);
const alone = new Set(['done', 'fi', '}', 'esac']);

/**
 * Reads scripts as far as pages need it: quotes, continued lines, comments, lists, pipes, loops, redirections, here
 * documents, `$(…)` and variables that the script itself sets. Scripts of one page share their variables.
 */
export class ShellReader {
  readonly #variables: Map<string, string>;
  readonly #commands: ShellCommand[] = [];
  #script = '';
  #at = 0;
  #words: string[] = [];

  constructor(variables: Map<string, string> = new Map<string, string>()) {
    this.#variables = variables;
  }

  /** Every command of a script, those of `$(…)` before the command that they are in. */
  read(script: string): readonly ShellCommand[] {
    this.#script = script;
    this.#at = 0;
    this.#commands.length = 0;
    while (this.#at < this.#script.length) {
      const at = this.#at;
      this.#step();
      if (this.#at === at) throw new Error(`can't read: ${this.#script.slice(at, at + 40)}`);
    }
    this.#end();
    return [...this.#commands];
  }

  #step(): void {
    if (this.#skip(/(?:[^\S\n]|\\\n)+/y) !== undefined) return;
    if (this.#skip(/#[^\n]*/y) !== undefined) return;
    if (this.#skip(/[\n;&|()]/y) !== undefined) {
      this.#end();
      return;
    }
    const redirection = this.#skip(/\d*(?:<<-?|>>|[<>]&?)/y);
    if (redirection === undefined) {
      this.#words.push(this.#word());
      return;
    }
    this.#skip(/[ \t]+/y);
    const target = this.#word();
    if (redirection.startsWith('<<')) this.#skipDocument(target);
  }

  #skip(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#script)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** The lines of a here document are no commands; the rest of its own line still is one. */
  #skipDocument(mark: string): void {
    const lines = this.#script.slice(this.#at).split('\n');
    const last = lines.findIndex((line, at) => at > 0 && line.trim() === mark);
    if (last < 0) throw new Error(`a here document has no end (${mark})`);
    const rest = [lines[0] ?? '', ...lines.slice(last + 1)].join('\n');
    this.#script = this.#script.slice(0, this.#at) + rest;
  }

  #word(): string {
    let word = '';
    for (;;) {
      const plain = this.#skip(/[^\s'"\\$;&|()<>]+/y);
      const single = plain ?? this.#skip(/'[^']*'/y)?.slice(1, -1);
      const part = single ?? this.#expansion() ?? this.#skip(/\\[^\n]/y)?.slice(1) ?? this.#doubleQuoted();
      if (part === undefined) break;
      word += part;
    }
    if (/['"]/.test(this.#script.charAt(this.#at))) throw new Error('a quote has no end');
    return word;
  }

  #doubleQuoted(): string | undefined {
    const begin = this.#at;
    if (this.#skip(/"/y) === undefined) return undefined;
    let text = '';
    for (;;) {
      const part =
        this.#skip(/[^"\\$]+/y) ??
        this.#skip(/\\["\\$`\n]/y)
          ?.slice(1)
          .replace('\n', '') ??
        this.#skip(/\\/y) ??
        this.#expansion();
      if (part === undefined) break;
      text += part;
    }
    if (this.#skip(/"/y) !== undefined) return text;
    this.#at = begin;
    return undefined;
  }

  /** What the script has not set itself stays as it is. */
  #expansion(): string | undefined {
    if (this.#skip(/\$\(/y) !== undefined) return this.#inner();
    const found = this.#skip(/\$(?:\w+|\{[^}]*\})?/y);
    if (found === undefined) return undefined;
    return this.#variables.get(found.replace(/[${}]/g, '')) ?? found;
  }

  #inner(): string {
    let depth = 1;
    let end = this.#at;
    for (; end < this.#script.length && depth > 0; end += 1) {
      const sign = this.#script.charAt(end);
      if (sign === '(') depth += 1;
      if (sign === ')') depth -= 1;
    }
    const inner = this.#script.slice(this.#at, end - 1);
    this.#commands.push(...new ShellReader(this.#variables).read(inner));
    this.#at = end;
    return '$()';
  }

  #end(): void {
    const words = this.#words;
    this.#words = [];
    while (words[0] !== undefined && before.has(words[0])) words.shift();
    if (words[0] === 'for' || words[0] === undefined || alone.has(words[0])) return;
    const isExport = words[0] === 'export';
    if (isExport) words.shift();
    const other = words.findIndex((word) => !/^\w+=/.test(word));
    const assignments = words.splice(0, other < 0 ? words.length : other);
    for (const assignment of assignments) {
      const sign = assignment.indexOf('=');
      this.#variables.set(assignment.slice(0, sign), assignment.slice(sign + 1));
    }
    if (words.length > 0 && !isExport) this.#commands.push(words);
  }
}
