/** Whether an error of the system has this code, e.g. `ENOENT`. (Under jest such errors are no `instanceof Error`.) */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
