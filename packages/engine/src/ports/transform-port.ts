import type { PipelineDefinition } from '@aosc/domain';
import type { Call } from './call';
import type { RawDocument, TransformedDocument } from './documents';

/** What a transform has made of one document, or why it has failed. */
export type TransformResult =
  | { readonly document: TransformedDocument }
  | { readonly failure: { readonly type: string; readonly reason: string } };

export interface TransformRequest {
  /** the migration's pipeline by name, or a definition to try out */
  readonly pipeline: string | PipelineDefinition;
  /** `ctx._index` of the script */
  readonly index: string;
  readonly shard: number;
  readonly documents: readonly RawDocument[];
}

/** The cluster's scripts and the pipelines they are compiled into. */
export interface TransformPort {
  /** @returns undefined when there is no such stored script */
  readStoredScript(
    id: string,
    call: Call,
  ): Promise<{ readonly lang: string; readonly source: string } | undefined>;
  /**
   * Runs documents through a pipeline without writing anything.
   * @returns a result for each, in their order
   * @throws ClusterError 'invalid' when a script does not compile, or one of the documents can't be parsed
   */
  transformDocuments(request: TransformRequest, call: Call): Promise<readonly TransformResult[]>;
  /** @throws ClusterError 'invalid' when a script does not compile */
  putPipeline(name: string, pipeline: PipelineDefinition, call: Call): Promise<void>;
  /** A pipeline that is gone already counts as deleted. */
  deletePipeline(name: string, call: Call): Promise<void>;
}
