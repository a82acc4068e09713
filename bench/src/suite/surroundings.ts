/** What every case is given. */
export interface Surroundings {
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** learns of the cluster's version as soon as a case knows it */
  readonly onVersion: (openSearch: string) => void;
}
