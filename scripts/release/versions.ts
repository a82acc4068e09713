import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';

const number = '(?:0|[1-9][0-9]*)';
const version = new RegExp(`^${number}\\.${number}\\.${number}(?:-[0-9a-z]+(?:\\.[0-9a-z]+)*)?$`);

/** Three numbers, and perhaps what comes before them: `1.2.3-rc.1`. */
export function isVersion(text: string): boolean {
  return version.test(text);
}

/** @returns below 0 when `a` comes before `b`, as Semantic Versioning orders them */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [split(a), split(b)];
  const order = compareLists(one.numbers, other.numbers);
  if (order !== 0) return order;
  // What comes before a version is named after it: 1.0.0-rc.1 < 1.0.0.
  if (one.before.length === 0 || other.before.length === 0) return other.before.length - one.before.length;
  return compareLists(one.before, other.before);
}

function split(text: string): { readonly numbers: readonly string[]; readonly before: readonly string[] } {
  const [numbers = '', ...before] = text.split('-');
  return { numbers: numbers.split('.'), before: before.join('-').split('.').filter(Boolean) };
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const [one, other] = [a[at], b[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const order = comparePart(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers come before words, and are compared as numbers. */
function comparePart(a: string, b: string): number {
  const [isNumber, isOther] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (isNumber && isOther) return Number(a) - Number(b);
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A way of a kind of file to say the version. @throws Error when the file does not say one */
export type SetVersion = (text: string, version: string) => string;

/** `package.json`: the first line with a version is the package's own. */
export const setManifestVersion: SetVersion = (text, next) =>
  replaceOnce(text, /^ {2}"version": "[^"]*"/m, `  "version": "${next}"`, 'package.json');

/** `packages/contract/src/version.ts` */
export const setSourceVersion: SetVersion = (text, next) =>
  replaceOnce(text, /serviceVersion = '[^']*'/, `serviceVersion = '${next}'`, 'the source');

/** `Chart.yaml`: the chart has the version of what it starts. */
export const setChartVersion: SetVersion = (text, next) => {
  const chart = replaceOnce(text, /^version: .*$/m, `version: ${next}`, 'Chart.yaml');
  return replaceOnce(chart, /^appVersion: .*$/m, `appVersion: ${next}`, 'Chart.yaml');
};

function replaceOnce(text: string, pattern: RegExp, next: string, where: string): string {
  if (!pattern.test(text))
    throw new Error(`${where} says no version where one is expected (${String(pattern)})`);
  return text.replace(pattern, () => next);
}

const parseLock = createParser(
  'package-lock.json',
  Type.Object({
    version: Type.String(),
    packages: Type.Record(Type.String(), Type.Object({ version: Type.Optional(Type.String()) })),
  }),
);

/** `package-lock.json`: the project itself and its workspaces, and nothing that comes from elsewhere. */
export function setLockVersion(text: string, next: string, workspaces: readonly string[]): string {
  const lock = parseLock(JSON.parse(text));
  lock.version = next;
  for (const path of ['', ...workspaces]) {
    const entry = new Map(Object.entries(lock.packages)).get(path);
    if (entry === undefined)
      throw new Error(`package-lock.json does not know ${path === '' ? 'the project' : path}`);
    entry.version = next;
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}
