import { readFile } from 'node:fs/promises';

/** What a process has cost so far. */
export interface ProcessCost {
  readonly cpuSeconds: number;
  /** most memory that was in RAM at once, since the process began */
  readonly peakBytes: number;
}

/** Clock ticks a second in /proc: 100 in the kernel's interface on every architecture that Node runs on. */
const ticksPerSecond = 100;

/** @returns undefined on a system without /proc, or when the process is gone */
export async function readProcessCost(pid: number): Promise<ProcessCost | undefined> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'latin1'),
      readFile(`/proc/${pid}/status`, 'latin1'),
    ]);
    const cpuSeconds = parseCpuSeconds(stat);
    const peakBytes = parsePeakBytes(status);
    return cpuSeconds === undefined || peakBytes === undefined ? undefined : { cpuSeconds, peakBytes };
  } catch {
    return undefined;
  }
}

/** utime + stime of `/proc/<pid>/stat`; the name in field 2 may itself have blanks and brackets. */
export function parseCpuSeconds(stat: string): number | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks / ticksPerSecond : undefined;
}

/** `VmHWM` of `/proc/<pid>/status`. */
export function parsePeakBytes(status: string): number | undefined {
  const match = /^VmHWM:\s*(\d+) kB$/m.exec(status);
  return match?.[1] === undefined ? undefined : Number(match[1]) * 1024;
}
