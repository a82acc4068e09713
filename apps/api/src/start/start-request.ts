import {
  createParser,
  type MigrationOptionsWire,
  ShapeError,
  StartRequestSchema,
  type StartRequestWire,
  isObject,
  validationFailed,
  asObject,
} from '@aosc/contract';
import { describeProblems, dropUnknown } from './describe-problems';
import { findNameProblems } from './name-problems';
import { findOptionProblems } from './option-problems';
import { findEditProblems } from '../target/target-request';
import { findNumberProblems, findQueryProblems } from './query-problems';

/** A start request whose parts are all there and well formed. */
export interface StartRequest {
  readonly source: string;
  readonly target: string;
  readonly alias: string;
  readonly script: StartRequestWire['transform_script'];
  readonly options: MigrationOptionsWire | undefined;
  /** what of a target that the start makes differs from the source */
  readonly createTarget: StartRequestWire['create_target'];
  /** id of the plan that it follows */
  readonly plan?: string | undefined;
}

const parseBody = createParser('start request', StartRequestSchema);

/**
 * Reads the body of `_start`, and collects everything that is wrong with it in one error.
 * @param source from the path; `source_index` in the body is ignored
 * @param hiddenIndices patterns of hidden names that may be used
 * @throws AoscError validation_failed; parsing_failed when the body is no object
 */
export function readStartRequest(
  source: string,
  body: unknown,
  hiddenIndices: readonly string[] = [],
): StartRequest {
  const { request, problems } = examineStartRequest(source, body, hiddenIndices);
  if (problems.length > 0) throw validationFailed(problems);
  return request;
}

/**
 * The same for a dry run, which goes on with what is well formed.
 * @returns `hasNames`: source, target and alias are there, and may be used
 * @throws AoscError parsing_failed when the body is no object
 */
export function examineStartRequest(
  source: string,
  body: unknown,
  hiddenIndices: readonly string[],
): { readonly request: StartRequest; readonly problems: readonly string[]; readonly hasNames: boolean } {
  const { few, left } = dropUnknown(asObject(body ?? {}));
  const { request, problems } = parse(withoutNulls(few));
  if (left > 0) problems.push(`${left} more of the kind`);
  const { target_index: target = '', alias = '', transform_script: script, options } = request;
  const { create_target: createTarget, plan } = request;
  const ofNames: string[] = [];
  if (source.trim() === '') ofNames.push('source index is required');
  if (!problems.includes('target.index must be a string') && target.trim() === '') {
    ofNames.push('target.index is required');
  }
  if (!problems.includes('alias must be a string') && alias.trim() === '') ofNames.push('alias is required');
  if (target !== '' && target === source) ofNames.push('source index and target.index must be different');
  ofNames.push(...findNameProblems({ source, target, alias }, hiddenIndices));
  const ofScript = findScriptProblems(script);
  const { validation_query: query, ...others } = options ?? {};
  const ofQuery = findQueryProblems(query);
  const ofTarget = findCreateProblems(request);
  problems.push(...ofNames, ...ofScript, ...findOptionProblems(options), ...ofQuery, ...ofTarget);
  return {
    request: {
      source,
      target,
      alias,
      // A refused script or query is sent nowhere.
      script: ofScript.length > 0 ? undefined : script,
      options: ofQuery.length > 0 ? others : options,
      createTarget: ofTarget.length > 0 ? undefined : createTarget,
      plan,
    },
    problems,
    hasNames: ofNames.length === 0 && target !== '' && alias !== '',
  };
}

/** The request as far as it has the right shape, and what does not have it. */
function parse(body: Record<string, unknown>): { request: StartRequestWire; problems: string[] } {
  try {
    return { request: parseBody(body), problems: [] };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const { problems, usable } = describeProblems(error.problems, body);
    return { request: parseBody(usable), problems };
  }
}

/** An explicit null is the same as leaving the field out. Null inside free-form objects is data and stays. */
function withoutNulls(body: Record<string, unknown>): Record<string, unknown> {
  const dropNulls = (value: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
  const kept = dropNulls(body);
  for (const name of ['options', 'transform_script', 'create_target'] as const) {
    const inner = kept[name];
    if (isObject(inner)) kept[name] = dropNulls(inner);
  }
  return kept;
}

function findScriptProblems(script: StartRequestWire['transform_script']): readonly string[] {
  if (script === undefined) return [];
  const blank = (text: string | undefined) => text === undefined || text.trim() === '';
  if (script.type === 'inline' && blank(script.source)) {
    return ['transform_script.source is required for inline scripts'];
  }
  if (script.type === 'stored' && blank(script.id))
    return ['transform_script.id is required for stored scripts'];
  return findNumberProblems('transform_script.params', script.params ?? {});
}

/** The start changes no target that exists, and makes a target of files only. */
function findCreateProblems({ create_target: edits, options }: StartRequestWire): readonly string[] {
  if (edits === undefined) return [];
  const problems = findEditProblems(edits).map((problem) => `create_target: ${problem}`);
  if (options?.copy === 'files' || options?.copy === 'auto') return problems;
  return [
    ...problems,
    'create_target needs options.copy [files] or [auto]: without it the target must exist, and _create_target creates one',
  ];
}
