/** The release that tests, demo and benchmark use; any other 2.x or 3.x may be asked for (docs/reference/versions.md). */
export const defaultOpenSearchVersion = '3.8.0';

/** The newest release whose security plugin is on Maven Central; its distribution there has no script modules. */
export const securedOpenSearchVersion = '3.4.0';

/** An archive on Maven Central. */
export interface Artifact {
  readonly group: string;
  readonly name: string;
  readonly version: string;
  readonly packaging: 'zip' | 'jar';
}

/** The minimal distribution: no plugins. */
export function distributionOf(version: string): Artifact {
  return {
    group: 'org.opensearch.distribution.integ-test-zip',
    name: 'opensearch',
    version,
    packaging: 'zip',
  };
}

/** The security plugin made for that release. */
export function securityPluginOf(version: string): Artifact {
  return {
    group: 'org.opensearch.plugin',
    name: 'opensearch-security',
    version: `${version}.0`,
    packaging: 'zip',
  };
}

/** What the security plugin takes from a module that the minimal distribution does not have. */
export const collections: Artifact = {
  group: 'org.apache.commons',
  name: 'commons-collections4',
  version: '4.5.0',
  packaging: 'jar',
};

/** Its file name, there and in the cache. */
export function fileNameOf({ name, version, packaging }: Artifact): string {
  return `${name}-${version}.${packaging}`;
}

/** SHA-256 of archives; an archive without an entry is checked only against the checksums inside it. */
export const knownSha256: Readonly<Record<string, string>> = {
  'opensearch-2.19.5.zip': 'caccd4ab24c88a9278922ef626cd1d92990427aa3a3063f9278200d86dbf49b3',
  'opensearch-3.5.0.zip': 'b676ad392c95a94d8d2bd8785b8b922c7811536daf6a9ec0c7277a34bd8a17a9',
  'opensearch-3.6.0.zip': 'a91faa1dc1cadc78cb278b4f63847e19e1627a4e9de698e14e7efc14ee37b286',
  'opensearch-3.7.0.zip': 'c5c8eb3828a2aead77e9d3bb9d280f54c4de190b0b67f0e412c38663627f1b06',
  'opensearch-3.8.0.zip': '196c3cf4602c394f2e40e6174ccbf2a924eae37246f08fa6bbb6b75f9fd5ff1f',
  'opensearch-3.4.0.zip': '6540e95fe8bfaedc3eb1c58e829912ea2203af2ac1f88f76411c20a2fc5254a6',
  'opensearch-security-3.4.0.0.zip': 'fc164c084979f7f793d295b6bca56bf8bee76dafb762adef9f14fa872e0a7596',
  'commons-collections4-4.5.0.jar': '00f93263c267be201b8ae521b44a7137271b16688435340bf629db1bac0a5845',
};

/** Sizes of archives, which show how far a download is. */
export const knownBytes: Readonly<Record<string, number>> = { 'opensearch-3.8.0.zip': 160_542_029 };

/** The major versions of Java that a server runs on, both ends included. */
export interface JavaRange {
  readonly min: number;
  readonly max: number;
}

/**
 * OpenSearch 3.x is compiled for Java 21; 2.x starts with the security manager flag, which Java 24 and later refuse (17
 * and 21 are what 2.x was released with).
 * @throws Error for a text that is no version, and for a version that this project does not know
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
