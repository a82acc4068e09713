import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const tailBytes = 4096;

/** The end of a log file and its path, ready to be appended to an error message; says so when there is nothing. */
export function logTail(logFile: string): string {
  const text = readTail(logFile).trim();
  return text === '' ? `; nothing in its log ${logFile}` : `; the end of its log ${logFile}:\n${text}`;
}

function readTail(logFile: string): string {
  let file: number;
  try {
    file = openSync(logFile, 'r');
  } catch {
    return '';
  }
  try {
    const buffer = Buffer.alloc(tailBytes);
    const from = Math.max(0, fstatSync(file).size - tailBytes);
    const text = buffer.toString('utf8', 0, readSync(file, buffer, 0, tailBytes, from));
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(file);
  }
}
