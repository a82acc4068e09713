import type { Operation } from './operation';
import { operations } from './operations';

/** As Express matches: a parameter is one part that is not empty, and a slash may follow. */
const patterns: readonly { readonly path: string; readonly pattern: RegExp }[] = [
  ...new Set(operations.map(({ path }) => path)),
].map((path) => {
  const parts = path.split(/\{[a-z_]+\}/).map((part) => part.replace(/[.+?^$()|[\]\\*]/g, '\\$&'));
  return { path, pattern: new RegExp(`^${parts.join('[^/]+')}/?$`) };
});

/** The template of the endpoint that a path belongs to. @param pathname without the query */
export function findPath(pathname: string): string | undefined {
  return patterns.find(({ pattern }) => pattern.test(pathname))?.path;
}

/** @param method in upper case; HEAD is answered like GET @returns the endpoint that a request is for */
export function findOperation(method: string, pathname: string): Operation | undefined {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = patterns.filter(({ pattern }) => pattern.test(pathname)).map(({ path }) => path);
  return operations.find((operation) => operation.method === asked && found.includes(operation.path));
}

/**
 * The methods a path answers to, in upper case; HEAD comes with GET.
 * @returns nothing when no endpoint has this path
 */
export function allowedMethods(pathname: string): readonly string[] {
  const found = findPath(pathname);
  return operations
    .filter(({ path }) => path === found)
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    .sort();
}
