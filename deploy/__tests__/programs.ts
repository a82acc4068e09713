import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A program that this project does not bring along.
 * @param variable names its path; a path that leads nowhere is an error
 * @returns undefined: the machine has none
 */
export function findProgram(name: string, variable?: string): string | undefined {
  const named = variable === undefined ? undefined : process.env[variable];
  if (named !== undefined && named !== '') {
    if (!isProgram(named)) throw new Error(`${variable ?? name} is ${named}: no program`);
    return named;
  }
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

export interface ProgramResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runProgram(program: string, args: readonly string[], input = ''): ProgramResult {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}
