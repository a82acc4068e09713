import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Why `node_modules` is not what `package-lock.json` asks for, or undefined when it is. npm writes its own record of
 * what it installed as its last step, so an installation that was interrupted has none.
 */
export function findMismatch(root) {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return 'nothing is installed yet';
  const wanted = readPackages(join(root, 'package-lock.json'));
  const installed = readPackages(record);
  for (const [path, entry] of Object.entries(wanted)) {
    // The project and its workspaces are not installed: a release that changes their version changes nothing here.
    if (!path.includes('node_modules/')) continue;
    const found = installed[path];
    if (found === undefined) {
      if (!entry.optional) return `${path} is missing`; // optional ones are for other platforms
    } else if (found.version !== entry.version || found.integrity !== entry.integrity) {
      return `${path} has another version`;
    }
  }
  const extra = Object.keys(installed).find((path) => !(path in wanted));
  return extra === undefined ? undefined : `${extra} is not wanted any more`;
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages;
}
