import type { AoscClient } from '@aosc/client';
import type { Command } from 'commander';
import { chooseTarget, type Target } from './context/choose-target';
import { configPath, readConfigFile } from './context/config-file';
import { connect, type Connection } from './context/connect';
import type { ExitName } from './exit-codes';
import { Flags } from './flags';
import { choosePaint, type Paint } from './output/paint';
import { toJson } from './output/text';
import { showRequest } from './request/show-request';
import type { Shell } from './shell';

/** What a command works with: its flags, the API that they lead to, and the terminal. */
export class Session {
  readonly flags: Flags;
  readonly isJson: boolean;
  readonly paint: Paint;
  private chosen: Target | undefined;
  private connection: Connection | undefined;

  constructor(
    readonly shell: Shell,
    private readonly command: Command,
  ) {
    this.flags = new Flags(command.optsWithGlobals());
    this.isJson = this.flags.isOn('json');
    this.paint = choosePaint(shell.out, shell.env, this.flags.isOn('color') && !this.isJson);
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

  /** @throws UsageError */
  async client(): Promise<AoscClient> {
    this.connection ??= await connect(this.target(), this.flags.number('requestTimeout'));
    return this.connection.client;
  }

  /** Asks the API, or, with --dry-run, prints what it would be asked. @returns undefined after the latter */
  async send<T>(ask: (client: AoscClient) => Promise<T>): Promise<T | undefined> {
    if (!this.flags.isOn('dryRun')) return ask(await this.client());
    const request = await showRequest(this.target(), ask);
    this.print(this.isJson ? { request } : undefined, () => [request]);
    return undefined;
  }

  /** Prints a value for programs, or lines for people. */
  print(value: unknown, lines: () => readonly string[]): void {
    this.shell.out.write(this.isJson ? `${toJson(value, 2)}\n` : asText(lines()));
  }

  /** One line of a stream: for programs a value in one line. */
  printLine(value: unknown, line: () => string): void {
    this.shell.out.write(this.isJson ? `${toJson(value)}\n` : `${line()}\n`);
  }

  /** What is not the result: to stderr. */
  note(line: string): void {
    this.shell.err.write(`${line}\n`);
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }
}

export type Action = (session: Session, args: readonly string[]) => Promise<ExitName>;

const asText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
