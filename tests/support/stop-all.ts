import type { ServiceProcess } from '@aosc/local-stack';

/** SIGTERM; 0 is the code of a process that has handed back all it had within its bound. */
export async function stopAll(processes: readonly ServiceProcess[]): Promise<void> {
  expect(processes).not.toEqual([]);
  const codes = await Promise.all(processes.map((process) => process.stop()));
  expect(codes).toEqual(codes.map(() => 0));
}
