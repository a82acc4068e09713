import { lacksSemicolon, splitLeadingFunctions } from './script-text';
import type { TransformText } from './script';

/** Body of `PUT _ingest/pipeline/{id}`. */
export interface PipelineDefinition {
  readonly description: string;
  readonly processors: readonly ScriptProcessor[];
}

interface ScriptProcessor {
  readonly script: {
    readonly lang: 'painless';
    readonly source: string;
    readonly params?: Readonly<Record<string, unknown>>;
  };
}

/** What every document of the source brings for the scripts, beside its own `_source`, `_id` and `_routing`. */
export const wrapperField = '_aosc';

/** Names that ingest takes out of a document as its metadata. */
const metadataNames = [
  '_index',
  '_id',
  '_routing',
  '_version',
  '_version_type',
  '_if_seq_no',
  '_if_primary_term',
];

const refusals = {
  source: 'the transform must leave an object in ctx._source',
  op: 'the transform has set ctx.op to something else: only [index] is supported, every document of the source must give one of the target',
  index: `the transform has changed ctx._index or [${wrapperField}], which it must leave alone`,
  identity:
    'the transform has changed ctx._id or ctx._routing without naming it: write ctx._id or ctx._routing in the script',
  id: 'the transform must leave a text in ctx._id that is not empty',
  routing: 'the transform must leave a text or null in ctx._routing',
} as const;
const putsName = (name: string): string =>
  `the transform has put [${name}] into ctx._source, which is a name for metadata`;

/** All that our script refuses. Nothing of a document is in it, so it may be passed on word by word. */
export const transformRefusals: ReadonlySet<string> = new Set([
  ...Object.values(refusals),
  ...metadataNames.map(putsName),
]);

/**
 * Ingest scripts see the document itself as `ctx`; scripts of the update context, which is the contract's, see it as
 * `ctx._source`. So the document goes in as `{"_source": {…}, "op": "index", …}`, the operator's script runs as it is,
 * with its own functions and early returns, and ours behind it takes the result out again. What it must not change
 * (index, version) is put back; `ctx.op` other than `index`, or a `_source` that is no object, fails the document.
 *
 * Every type is named. Painless compares two operands of type `def` behind a guard that asks each for its class: where one is
 * null, and a routing mostly is, that makes and drops an exception for each document (3.7.0, `DefBootstrap.MIC.checkBoth`).
 * It was a fifth of what a copy with a transform cost the cluster.
 */
const takeOut = `
Object left = ctx.get('_source');
if (!(left instanceof Map)) {
  throw new IllegalArgumentException('${refusals.source}');
}
Map source = (Map) left;
Object op = ctx.get('op');
if (op != null && !'index'.equals(op)) {
  throw new IllegalArgumentException('${refusals.op}');
}
${metadataNames
  .map(
    (name) => `if (source.containsKey('${name}')) throw new IllegalArgumentException('${putsName(name)}');`,
  )
  .join('\n')}
Object index = ctx.get('_index');
Object id = ctx.get('_id');
Object routing = ctx.get('_routing');
`;

/**
 * The bulk carries id, routing and version as they were: a script that changes them here was not expected to.
 * @param fences what the names of the migration's fences begin with
 */
const keepIdentity = (fences: string): string => `
if (!(wrapper instanceof Map) || !(index instanceof String) || !((String) index).startsWith('${fences}')) {
  throw new IllegalArgumentException('${refusals.index}');
}
Map own = (Map) wrapper;
if (!Objects.equals(id, own.get('id')) || !Objects.equals(routing, own.get('routing'))) {
  throw new IllegalArgumentException('${refusals.identity}');
}
ctx.clear();
ctx.putAll(source);
ctx.put('_index', index);
ctx.put('_id', id);
if (routing != null) ctx.put('_routing', routing);
ctx.put('_version', own.get('version'));
ctx.put('_version_type', 'external_gte');
`;

const giveIdentity = `
if (!(id instanceof String) || ((String) id).isEmpty()) {
  throw new IllegalArgumentException('${refusals.id}');
}
if (routing != null && !(routing instanceof String)) {
  throw new IllegalArgumentException('${refusals.routing}');
}
ctx.clear();
ctx.putAll(source);
ctx.put('_index', index);
ctx.put('_id', id);
if (routing != null && !((String) routing).isEmpty()) ctx.put('_routing', routing);
`;

/** How a transform's documents are written. */
export interface TransformForm {
  /**
   * false: it runs inside the bulks, and may not change ids; true: documents are run through it before they are written,
   * so that it is known where each of them went
   */
  readonly rewritesIdentity: boolean;
  /** what the names of the migration's fences begin with: `[a-z0-9-]` */
  readonly fences: string;
}

const description = 'The transform of a migration that is under way. It is removed when the migration ends.';

/** A copy of params for each document, unmodifiable at the top as what they are copied from. */
const copyParams = `
def aoscCopy(def value) {
  if (value instanceof Map) {
    Map copy = new HashMap();
    for (Map.Entry entry : ((Map) value).entrySet()) copy.put(entry.getKey(), aoscCopy(entry.getValue()));
    return copy;
  }
  if (value instanceof List) {
    List copy = new ArrayList();
    for (Object element : (List) value) copy.add(aoscCopy(element));
    return copy;
  }
  return value;
}
`;

/**
 * The compiled form of a transform: the operator's script as a function, and ours behind it, in one. An early return ends the
 * function and not ours, what it assigns to `ctx` is its own, and what it must give back as it was is out of its reach.
 *
 * Ingest copies each document once for every script and looks for maps that hold themselves (3.7.0,
 * `ScriptProcessor.execute`), so one instead of two saves the cluster a twentieth of a copy's work.
 *
 * Objects and lists in params are one for all documents of a bulk, which are written out when all of them have been through
 * (3.7.0, `IngestService.innerBatchExecute`): a script that takes one into a document and changes it there would
 * change it in all. So each document has its own.
 * @param text a script that compiles by itself; its own functions stay in front
 */
export function joinedTransformPipeline(text: TransformText, form: TransformForm): PipelineDefinition {
  const [functions, statements] = splitLeadingFunctions(text.source);
  const isShared = hasSharedParams(text);
  const source = `${isShared ? copyParams : ''}${functions}
void aoscTransform(Map ctx, Map params) {
${statements}
${lacksSemicolon(statements) ? ';' : ''}}
Object wrapper = ctx.remove('${wrapperField}');
aoscTransform(ctx, ${isShared ? 'Collections.unmodifiableMap((Map) aoscCopy(params))' : 'params'});
${ending(form)}`;
  return { description, processors: [script(source, text.params)] };
}

/**
 * The same as two scripts, for one that does not compile as a function: joined it is too large, say.
 * @returns undefined where that would not be safe, because documents would share objects of the params
 */
export function separateTransformPipeline(
  text: TransformText,
  form: TransformForm,
): PipelineDefinition | undefined {
  if (hasSharedParams(text)) return undefined;
  const own = `Object wrapper = ctx.get('${wrapperField}');${ending(form)}`;
  return { description, processors: [script(text.source, text.params), script(own)] };
}

function hasSharedParams({ params = {} }: TransformText): boolean {
  return Object.values(params).some((value) => typeof value === 'object' && value !== null);
}

function ending({ rewritesIdentity, fences }: TransformForm): string {
  return takeOut + (rewritesIdentity ? giveIdentity : keepIdentity(fences));
}

function script(source: string, params?: Readonly<Record<string, unknown>>): ScriptProcessor {
  return { script: { lang: 'painless', source, ...(params !== undefined && { params }) } };
}
