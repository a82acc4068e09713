/** How far a step has come that takes long. */
export interface StepProgress {
  /** as it reads before a bar: "unpacking OpenSearch 3.8.0" */
  readonly what: string;
  readonly done: number;
  /** undefined: unknown */
  readonly total: number | undefined;
  readonly unit: 'bytes' | 'files' | 'nodes' | 'documents';
}

export type OnProgress = (progress: StepProgress) => void;
