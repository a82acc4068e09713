#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { exitCodes } from './exit-codes';
import { InterruptedError } from './failure';
import { runCommand } from './run';
import type { Screen, Shell } from './shell';

const defaultWidth = 80;
const defaultHeight = 24;

function createScreen(stream: NodeJS.WriteStream): Screen {
  return {
    write: (text) => stream.write(text),
    isTty: stream.isTTY,
    width: () => (stream.isTTY ? stream.columns || defaultWidth : Number.POSITIVE_INFINITY),
    height: () => (stream.isTTY ? stream.rows || defaultHeight : Number.POSITIVE_INFINITY),
  };
}

async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
}

async function main(): Promise<void> {
  const interrupt = new AbortController();
  setMaxListeners(0, interrupt.signal); // one for each request of `doctor`, and it sends many at once
  const onSignal = (): void => {
    // The second Ctrl-C ends the process at once.
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted.code);
    interrupt.abort(new InterruptedError());
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // The reader of a pipe may stop before the end, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.done.code);
  });
  const shell: Shell = {
    env: process.env,
    home: homedir(),
    out: createScreen(process.stdout),
    err: createScreen(process.stderr),
    signal: interrupt.signal,
    now: () => Date.now(),
    ask: (question) => ask(question, interrupt.signal),
  };
  process.exitCode = await runCommand(process.argv.slice(2), shell);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = exitCodes.failed.code;
});
