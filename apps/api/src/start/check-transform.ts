import { AoscError, type MigrationRecord } from '@aosc/contract';
import {
  barePipeline,
  findUnpredictable,
  mayRewriteIdentity,
  type PipelineDefinition,
  setsAside,
  transformPipeline,
  type TransformText,
} from '@aosc/domain';
import {
  type Call,
  ClusterError,
  isClusterError,
  type RawDocument,
  type TransformPort,
  type TransformResult,
} from '@aosc/engine';
import { within } from '@aosc/signals';
import type { ApiDependencies } from '../dependencies';
import { preconditionFailed } from './check-indices';
import type { Hold } from '../limits/admission';
import type { StartContext } from './checks';
import type { StartRequest } from './start-request';

type Transform = NonNullable<MigrationRecord['transform']>;
type Script = NonNullable<StartRequest['script']>;

const supportedContext = 'update';
const sampleSize = 5;
/** For a script on a handful of documents, which OpenSearch compiles first. */
const waitMs = 15_000;
/** Longer than any caller waits, but the open connection shows that the cluster still runs the script. */
const longestRunMs = 6 * 3_600_000;
/** In the words of OpenSearch's `ScriptException`: what follows is only about the script's text. */
const compileError = 'script_exception: compile error';

/** Stands for a document where the source has none; the script's result on it is ignored. */
const emptyDocument: RawDocument = {
  idToken: '"aosc-dry-run"',
  routingToken: undefined,
  version: '1',
  source: Buffer.from('{}'),
  size: 2,
};

/**
 * Compiles the transform and tries it on documents of the source. Nothing is written, neither a document nor a script.
 * @returns what the migration keeps of it: a stored script's text is taken now, once; undefined: copied as it is
 * @throws AoscError illegal_argument, with the script's stack where it has one; precondition_failed without nodes to run it
 */
export async function checkTransform(
  deps: ApiDependencies,
  {
    request: { script },
    source,
    target,
    options,
    call,
  }: Pick<StartContext, 'request' | 'source' | 'target' | 'options' | 'call'>,
  hold: Hold,
): Promise<Transform | undefined> {
  if (script === undefined) return undefined;
  const asked = { script, source: source.index, target: target.index, call };
  const { text, rewritesIdentity, samples, results } = await runTransform(deps, asked, hold);
  if (text.source.trim() === 'identity') return undefined;
  if (samples.length > 0) failOnFirst(results, samples);
  if (rewritesIdentity && setsAside({ options })) {
    throw preconditionFailed(
      'options.on_document_error [set_aside] is not possible with a script that names _id or _routing: use [fail]',
    );
  }
  if (!rewritesIdentity) await requireIngestNode(deps, call);
  return { ...text, rewritesIdentity };
}

/**
 * A trial runs on any node, but a bulk through a pipeline is forwarded to a node with that role, or answered with 500.
 */
async function requireIngestNode({ cluster }: Pick<ApiDependencies, 'cluster'>, call: Call): Promise<void> {
  if ((await cluster.ingestNodes(call)).length > 0) return;
  throw preconditionFailed(
    'no node of the cluster has the role [ingest], and a transform that keeps ids runs on such nodes; give a node ' +
      'that role',
  );
}

interface TransformRun {
  readonly text: TransformText;
  readonly rewritesIdentity: boolean;
  /** documents of the source; none when it is empty */
  readonly samples: readonly RawDocument[];
  /** of each sample */
  readonly results: readonly TransformResult[];
}

/**
 * Runs a transform on documents of an index without writing anything.
 * @param asked.target what the script sees as `ctx._index`
 * @param hold keeps the caller's units until the cluster is done with the script, which can't be cancelled
 * @throws AoscError illegal_argument when it can't be compiled, or would not give the same each time
 */
export async function runTransform(
  deps: ApiDependencies,
  asked: { readonly script: Script; readonly source: string; readonly target: string; readonly call: Call },
  hold: Hold,
): Promise<TransformRun> {
  const { script, source, target, call } = asked;
  const context = script.script_context ?? supportedContext;
  if (context !== supportedContext) {
    throw refused(`Unknown transform script_context [${context}]. Supported: [${supportedContext}]`);
  }
  const text = await readText(deps, script, { target, call, hold });
  const rewritesIdentity = mayRewriteIdentity(text);
  const clock = rewritesIdentity ? findUnpredictable(text) : undefined;
  if (clock !== undefined) {
    throw refused(
      `The transform names _id or _routing and uses [${clock}]: it would give a document another id each time, so ` +
        'that deletes and updates could not find it. Build ids only from the document',
    );
  }
  const isIdentity = text.source.trim() === 'identity';
  const samples = isIdentity ? [] : await readSamples(deps, source, call);
  if (isIdentity) return { text, rewritesIdentity: false, samples, results: [] };
  const documents = samples.length > 0 ? samples : [emptyDocument];
  return {
    text,
    rewritesIdentity,
    samples,
    results: await tryOut(deps, { text, target, documents }, hold),
  };
}

async function readSamples(
  { cluster }: Pick<ApiDependencies, 'cluster'>,
  source: string,
  call: Call,
): Promise<readonly RawDocument[]> {
  try {
    return await cluster.index(source).state.sampleDocuments(sampleSize, call);
  } catch (error) {
    if (!isClusterError(error, 'invalid')) throw error;
    // OpenSearch does not say which document it is.
    throw refused(
      `A document of [${source}] can't be read as JSON, so that the script can't be tried: ${error.message}`,
      error,
    );
  }
}

interface Trial {
  readonly text: TransformText;
  readonly target: string;
  readonly documents: readonly RawDocument[];
}

/** Runs a script on documents; it counts for the caller until the cluster is done with it. */
export async function tryOut(
  { cluster, requestTimeoutMs }: Pick<ApiDependencies, 'cluster' | 'requestTimeoutMs'>,
  { text, target: index, documents }: Trial,
  hold: Hold,
): Promise<readonly TransformResult[]> {
  const ms = Math.min(waitMs, requestTimeoutMs);
  const run = async (pipeline: PipelineDefinition): Promise<readonly TransformResult[]> => {
    const call = { signal: new AbortController().signal, opaqueId: 'aosc-api', timeoutMs: longestRunMs };
    const done = cluster.transforms.transformDocuments({ pipeline, index, shard: 0, documents }, call);
    hold(done);
    const results = await within(ms, done);
    if (results !== undefined) return results;
    throw refused(
      `Transform script dry-run failed: it was not done within ${ms} ms. What runs in the cluster can't be cancelled; ` +
        'no other script of this credential is tried out before it has ended',
    );
  };
  try {
    // In a trial an id may change whatever the script declares: only the copy knows the old id.
    return await run(transformPipeline(text, { rewritesIdentity: true }));
  } catch (error) {
    if (isCompileError(error)) {
      // A caller knows only the own script, and not the code that the service puts around it.
      await run(barePipeline(text)).catch((own: unknown) => {
        throw explain(isCompileError(own) ? own : error);
      });
    }
    throw explain(error);
  }
}

function isCompileError(error: unknown): boolean {
  return isClusterError(error, 'invalid') && error.message.includes(compileError);
}

async function readText(
  deps: ApiDependencies,
  script: Script,
  { target, call, hold }: { readonly target: string; readonly call: Call; readonly hold: Hold },
): Promise<TransformText> {
  const { params } = script;
  const own = params === undefined ? {} : { params };
  if (script.type === 'inline') return { source: script.source ?? '', ...own };
  const id = script.id ?? '';
  const stored = await readStored(deps.cluster.transforms, id, call);
  if (stored === undefined) {
    // A cluster that can't run scripts can't store any: that is the reason then, not a missing script.
    const trial = { text: { source: 'return;' }, target, documents: [emptyDocument] };
    await tryOut(deps, trial, hold);
    throw refused(
      `Stored script [${id}] not found: store it with PUT _scripts/{id} before the migration starts`,
    );
  }
  if (stored.lang !== 'painless') {
    throw refused(`Stored script [${id}] has the language [${stored.lang}]. Supported: [painless]`);
  }
  return { source: stored.source, ...own };
}

async function readStored(transforms: TransformPort, id: string, call: Call) {
  try {
    return await transforms.readStoredScript(id, call);
  } catch (error) {
    if (isClusterError(error, 'invalid', 'not_found')) return undefined;
    throw error;
  }
}

/** The part of a dry run's error that the caller sees. */
function explain(error: unknown): unknown {
  if (!(error instanceof ClusterError) || !isClusterError(error, 'invalid', 'too_large')) return error;
  if (hasNoScripts(error)) {
    return refused(
      'This cluster can not run transforms: it has no script processor or no Painless (modules ingest-common and ' +
        `lang-painless). Leave transform_script out to copy documents as they are. It said: ${error.message}`,
      error,
    );
  }
  if (isTooLarge(error)) {
    return refused(
      'The transform script is larger than the cluster takes (script.max_size_in_bytes), or would be with what the ' +
        'service adds. Make it shorter, or raise that setting',
      error,
    );
  }
  // Some of the other errors quote the document they are about.
  const said = isCompileError(error) ? error.message : (error.details.type ?? error.kind);
  return refused(`Transform script can't be compiled or run: ${said}`, error);
}

/** In the words of OpenSearch's `Pipeline` and `ScriptService`. */
function hasNoScripts({ message }: ClusterError): boolean {
  return /No processor type exists with name \[script\]|script_lang not supported \[painless\]/i.test(
    message,
  );
}

/** In the words of `ScriptService`, which are followed by the script. */
function isTooLarge({ message }: ClusterError): boolean {
  return message.includes('exceeded max allowed inline script size');
}

function failOnFirst(results: readonly TransformResult[], samples: readonly RawDocument[]): void {
  for (const [at, result] of results.entries()) {
    if (!('failure' in result)) continue;
    throw refused(
      'Transform script dry-run failed (check that transform_script.params includes all params referenced by the ' +
        `script): document ${samples[at]?.idToken ?? '?'}: ${result.failure.type}: ${result.failure.reason}`,
    );
  }
}

function refused(reason: string, cause?: unknown): AoscError {
  return new AoscError('illegal_argument', reason, cause === undefined ? undefined : { cause });
}
