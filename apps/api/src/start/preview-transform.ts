import {
  AoscError,
  type PreviewAnswer,
  type PreviewRequest,
  PreviewRequestSchema,
  createBodyReader,
  refuseAll,
} from '@aosc/contract';
import type { RawDocument } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Hold } from '../limits/admission';
import { requireTransform } from './check-request';
import { workOf } from './start-shares';
import type { Caller } from './caller';
import { runTransform } from './check-transform';
import { isIndexName, findNameProblems } from './name-problems';
import { findNumberProblems } from './query-problems';

type Script = PreviewRequest['transform_script'];

const readBody = createBodyReader(PreviewRequestSchema);
/** Characters of a document that are shown. */
const maxShown = 16_384;

/**
 * Tries a transform on documents of a source, and shows them. It is bounded like the trial of a start. Because it shows
 * documents, every limited credential needs the permission for transforms, whatever its indices.
 * @throws AoscError
 */
export async function previewTransform(
  deps: ApiDependencies,
  source: string,
  body: unknown,
  caller: Caller,
  gone: AbortSignal,
): Promise<PreviewAnswer> {
  caller.requireIndex(source);
  requireTransform(caller);
  const { transform_script: script, target_index: target = source } = readBody(body);
  caller.requireIndex(target);
  const problems = [
    ...findNameProblems({ source, target, alias: '' }, deps.hiddenIndices),
    ...findNumberProblems('transform_script.params', script.params ?? {}),
  ];
  refuseAll(problems);
  return deps.admission.run(workOf(caller, 'script', gone), (hold) =>
    run(deps, { script, source, target }, hold),
  );
}

async function run(
  deps: ApiDependencies,
  { script, source, target }: { readonly script: Script; readonly source: string; readonly target: string },
  hold: Hold,
): Promise<PreviewAnswer> {
  const call = deps.newStartCall();
  const described = isIndexName(source) ? await deps.cluster.index(source).state.describe(call) : undefined;
  if (described === undefined) {
    throw new AoscError('illegal_argument', `source index [${source}] not found`);
  }
  if (!described.open)
    throw new AoscError('precondition_failed', `source index [${source}] is closed; open it first`);
  const { samples, results } = await runTransform(deps, { script, source, target, call }, hold);
  return {
    documents: samples.map((before, at) => {
      const result = results[at];
      return {
        before: show(before),
        ...(result !== undefined && 'document' in result && { after: show(result.document) }),
        ...(result !== undefined && 'failure' in result && { failure: { ...result.failure } }),
      };
    }),
  };
}

function show({ idToken, source }: RawDocument) {
  const text = Buffer.from(source).toString('utf8');
  const id: unknown = JSON.parse(idToken);
  return { id: String(id), source: text.slice(0, maxShown), is_part: text.length > maxShown };
}
