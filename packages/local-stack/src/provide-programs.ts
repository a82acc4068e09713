import { accessSync, constants, mkdirSync } from 'node:fs';
import { installWithApt } from './apt';
import { cacheFolder } from './cache-folder';
import { listDownloads } from './fetch-distribution';
import { findJdk, type Jdk } from './find-jdk';
import { findOnPath } from './find-on-path';
import { findRedis } from './find-redis';
import { describeMissing, type Findings, findMissing } from './missing';
import { type GivenHome, type HomeFinding, readHome } from './opensearch-home';
import { type RunAs } from './run-as';
import { javaRangeFor } from './versions';

/**
 * Local servers need a program that is missing and could not be installed; the message is for the user who started
 * them.
 */
export class MissingProgramsError extends Error {
  override readonly name = 'MissingProgramsError';
}

interface WantedServers {
  readonly openSearch?: {
    /** of the download, and of its Java; that of a given home goes before it */
    readonly version: string;
    readonly secured: boolean;
    /** whether an unpacked OpenSearch of the user will do */
    readonly takesHome: boolean;
  };
  readonly redis: boolean;
}

export interface Programs {
  readonly openSearch: { readonly jdk: Jdk; readonly home: GivenHome | undefined } | undefined;
  /** path of the program */
  readonly redis: string | undefined;
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly runAs: RunAs | undefined;
  readonly log: (line: string) => void;
}

/**
 * Finds everything that these servers need before the first of them starts; what is missing is installed where it can
 * be.
 * @throws MissingProgramsError with all that is missing at once
 */
export async function providePrograms(wanted: WantedServers, around: Surroundings): Promise<Programs> {
  let findings = await look(wanted, around);
  const missing = findMissing(findings);
  for (const { packages } of missing) {
    if (packages.length > 0 && (await installWithApt(packages, around.log)))
      findings = await look(wanted, around);
  }
  const still = missing.length > 0 ? findMissing(findings) : missing;
  if (still.length > 0) throw new MissingProgramsError(describeMissing(still));
  const { openSearch, redis } = findings;
  const jdk = openSearch?.jdk.found;
  return {
    openSearch: jdk === undefined ? undefined : { jdk, home: openSearch?.home.home },
    redis: redis?.program,
  };
}

async function look({ openSearch, redis }: WantedServers, around: Surroundings): Promise<Findings> {
  return {
    ...(openSearch && { openSearch: await lookForOpenSearch(openSearch, around) }),
    ...(redis && { redis: findRedis(around.env, around.runAs) }),
  };
}

async function lookForOpenSearch(
  { version, secured, takesHome }: NonNullable<WantedServers['openSearch']>,
  { env, runAs }: Surroundings,
): Promise<NonNullable<Findings['openSearch']>> {
  const home: HomeFinding = takesHome ? readHome(env, runAs) : {};
  const java = javaRangeFor(home.home?.version ?? version);
  const isDownloaded = home.home === undefined && home.problem === undefined;
  const cacheProblem = isDownloaded ? findCacheProblem(env) : undefined;
  return {
    java,
    jdk: await findJdk(java, env, runAs),
    home,
    toDownload: isDownloaded ? listDownloads({ version, secured, runAs, env }) : [],
    maven: findOnPath('mvn', env),
    cacheProblem,
  };
}

function findCacheProblem(env: NodeJS.ProcessEnv): string | undefined {
  const folder = cacheFolder(env);
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return `a folder for downloads (${folder}: ${error instanceof Error ? error.message : String(error)})`;
  }
}
