/** Releases that were tried with this project; any other 2.x or 3.x may be asked for. */
export const defaultOpenSearchVersion = '3.7.0';

/** SHA-256 of distributions; a version without an entry is held to the checksums inside its archive alone. */
export const knownSha256: Readonly<Record<string, string>> = {
  '3.7.0': 'c5c8eb3828a2aead77e9d3bb9d280f54c4de190b0b67f0e412c38663627f1b06',
};

/** The major versions of Java that a server runs on, both ends included. */
export interface JavaRange {
  readonly min: number;
  readonly max: number;
}

/**
 * OpenSearch 3.x is compiled for Java 21; 2.x starts with the security manager flag, which Java 24 and later
 * refuse (17 and 21 are what 2.x was released with).
 * @throws Error for a version that is none, or one that this project does not know
 */
export function javaRangeFor(openSearchVersion: string): JavaRange {
  const major = /^(\d+)\.\d+\.\d+$/.exec(openSearchVersion)?.[1];
  if (major === '3') return { min: 21, max: Number.POSITIVE_INFINITY };
  if (major === '2') return { min: 17, max: 21 };
  throw new Error(`OpenSearch ${openSearchVersion} cannot be started here: 2.x.y and 3.x.y can`);
}

/**
 * The major version in a JDK's `release` file or in what `java -version` prints ("1.8.0_392" is 8).
 * @returns undefined when there is none in it
 */
export function parseJavaMajor(text: string): number | undefined {
  const version = /(?:JAVA_VERSION=|version )"([^"]+)"/.exec(text)?.[1];
  const [, first, second] = /^(\d+)(?:\.(\d+))?/.exec(version ?? '') ?? [];
  if (first === undefined) return undefined;
  return Number(first === '1' && second !== undefined ? second : first);
}
