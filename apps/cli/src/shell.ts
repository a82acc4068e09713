/** A stream that the command writes to, as far as it matters how. */
export interface Screen {
  write(text: string): void;
  readonly isTty: boolean;
  /** characters of a line; a pipe has no bound */
  width(): number;
  height(): number;
}

/** Everything outside the command that it works with. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly out: Screen;
  readonly err: Screen;
  /** fires at Ctrl-C */
  readonly signal: AbortSignal;
  now(): number;
  /** Asks on the terminal. @returns undefined when there is none */
  ask(question: string): Promise<string | undefined>;
}
