import type { AoscClient } from '@aosc/client';
import type { Command } from 'commander';
import { noteTrouble } from './request/note-trouble';
import { refuseChanges } from './request/refuse-changes';
import { plain } from './output/text';
import { chooseTarget, type Target } from './context/choose-target';
import { configPath, readConfigFile } from './context/config-file';
import { connect, type Connection } from './context/connect';
import type { ExitName } from './exit-codes';
import { UsageError } from './failure';
import { Flags } from './flags';
import { choosePaint, type Paint } from './output/paint';
import { type Format, formatItem, formats, formatValue } from './output/formats';
import { showRequest } from './request/show-request';
import type { Shell } from './shell';

const shortMs = 10_000;

/** What a command works with: its flags, the API that they select, and the terminal. */
export class Session {
  readonly flags: Flags;
  readonly format: Format;
  readonly paint: Paint;
  private chosen: Target | undefined;
  private connection: Connection | undefined;

  constructor(
    readonly shell: Shell,
    private readonly command: Command,
  ) {
    this.flags = new Flags(command.optsWithGlobals());
    this.format = formatOf(this.flags);
    this.paint = choosePaint(shell.out, shell.env, this.flags.isOn('color') && !this.isData);
  }

  /** The result goes to a program, as JSON or YAML. */
  get isData(): boolean {
    return this.format === 'json' || this.format === 'yaml';
  }

  /** With --dry-run the command asks the API and changes nothing. */
  get isDryRun(): boolean {
    return this.flags.isOn('dryRun');
  }

  /** With --print-request nothing is sent. */
  get printsRequests(): boolean {
    return this.flags.isOn('printRequest');
  }

  /** The whole command line that this command is part of. */
  program(): Command {
    let found = this.command;
    while (found.parent !== null) found = found.parent;
    return found;
  }

  /** @throws UsageError */
  target(): Target {
    if (this.chosen === undefined) {
      const { env, home } = this.shell;
      const path = configPath(env, home);
      const choice = { url: this.flags.text('url'), context: this.flags.text('context') };
      const target = chooseTarget(choice, env, readConfigFile(path), path);
      const caFile = this.flags.text('ca');
      this.chosen = caFile === undefined ? target : { ...target, caFile };
    }
    return this.chosen;
  }

  /**
   * @param patience `short`: each request is tried once, and for ten seconds
   * @throws UsageError
   */
  async client(patience?: 'short'): Promise<AoscClient> {
    if (this.printsRequests)
      throw new UsageError('this command sends many requests: --print-request can not show them');
    this.connection ??= await connect(this.target(), {
      timeoutMs: this.flags.number('requestTimeout') ?? (patience && shortMs),
      isTriedOnce: this.isDryRun || patience === 'short',
      wrap: this.isDryRun ? refuseChanges : noteTrouble((text) => this.note(plain(text))),
    });
    return this.connection.client;
  }

  /** Asks the API, or, with --print-request, prints the request. @returns undefined after the latter */
  async send<T>(ask: (client: AoscClient) => Promise<T>): Promise<T | undefined> {
    if (!this.printsRequests) return ask(await this.client());
    const request = await showRequest(this.target(), ask);
    this.print({ request }, () => [request]);
    return undefined;
  }

  /** Prints a value for programs, or lines for people. */
  print(value: unknown, lines: () => readonly string[]): void {
    this.shell.out.write(formatValue(this.format, value) ?? asText(lines()));
  }

  /** One line of a stream: for programs a value of its own. */
  printLine(value: unknown, line: () => string): void {
    this.shell.out.write(formatItem(this.format, value) ?? `${line()}\n`);
  }

  /**
   * Asks the user before a change; `--yes` answers in advance. Without a terminal it is the only answer.
   * @throws UsageError without a terminal
   */
  async confirm(question: string): Promise<boolean> {
    if (this.flags.isOn('yes')) return true;
    const answer = await this.shell.ask(`${question} [y/N] `);
    if (answer === undefined)
      throw new UsageError('there is no terminal to ask on: --yes does it without a question');
    return /^y(es)?$/i.test(answer.trim());
  }

  /** Prints to stderr what is not the result. */
  note(line: string): void {
    this.shell.err.write(`${line}\n`);
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }
}

export type Action = (session: Session, args: readonly string[]) => Promise<ExitName>;

function formatOf(flags: Flags): Format {
  const given = flags.text('output');
  return formats.find((format) => format === given) ?? (flags.isOn('json') ? 'json' : 'text');
}

const asText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
