import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { canEnter, type RunAs } from './run-as';

/** An unpacked OpenSearch that the user has, to be used in place of a download. Nothing is written into it. */
export interface GivenHome {
  readonly path: string;
  readonly version: string;
}

/** What `AOSC_OPENSEARCH_HOME` names: one of the two, or nothing when it is not set. */
export interface HomeFinding {
  readonly home?: GivenHome;
  /** why it can't be used, as a sentence */
  readonly problem?: string;
}

const variable = 'AOSC_OPENSEARCH_HOME';
/** Searches that say `search_pipeline=_none` came with it (docs/reference/versions.md). */
const oldestMinorOf2 = 9;

/** Looks at the folder that `AOSC_OPENSEARCH_HOME` names, as the user sees it that the servers run as. */
export function readHome(env: NodeJS.ProcessEnv, runAs: RunAs | undefined): HomeFinding {
  const given = env[variable];
  if (!given) return {};
  const path = resolve(given);
  const problem = (why: string): HomeFinding => ({ problem: `${variable} is ${path}: ${why}` });
  const lacking = ['bin/opensearch', 'config/jvm.options', 'lib'].filter(
    (name) => !existsSync(join(path, name)),
  );
  if (lacking.length > 0) return problem(`no unpacked OpenSearch, which has ${lacking.join(', ')}`);
  if (!canEnter(join(path, 'lib'), runAs)) {
    return problem(`user ${runAs?.uid ?? ''}, whom the servers run as when root starts them, can't enter it`);
  }
  if (!isReadable(path)) return problem("it can't be read");
  const version = versionOf(path);
  if (version === undefined) return problem('lib has no opensearch-VERSION.jar');
  if (!isSupported(version)) return problem(`it is OpenSearch ${version}, and 2.9 or later is needed`);
  const asked = env['AOSC_OPENSEARCH_VERSION'];
  if (asked && asked !== version) {
    return problem(
      `it is OpenSearch ${version}, and AOSC_OPENSEARCH_VERSION is ${asked}: unset one of the two`,
    );
  }
  return { home: { path, version } };
}

function isReadable(path: string): boolean {
  try {
    accessSync(join(path, 'bin/opensearch'), constants.X_OK);
    accessSync(join(path, 'config/jvm.options'), constants.R_OK);
    accessSync(join(path, 'lib'), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function versionOf(path: string): string | undefined {
  const jars = readdirSync(join(path, 'lib'));
  return jars.map((name) => /^opensearch-(\d[\w.-]*)\.jar$/.exec(name)?.[1]).find((found) => found);
}

function isSupported(version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)\.\d+$/.exec(version) ?? [];
  return major === '3' || (major === '2' && Number(minor) >= oldestMinorOf2);
}
