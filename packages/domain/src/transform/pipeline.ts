import { splitScript } from './script-text';
import type { TransformText } from './script';

/** Body of `PUT _ingest/pipeline/{id}`. */
export interface PipelineDefinition {
  readonly description: string;
  readonly processors: readonly ScriptProcessor[];
}

interface ScriptProcessor {
  readonly script: TransformText & { readonly lang: 'painless' };
}

/** The field that wraps each document of the source for the scripts, beside its own `_source`, `_id` and `_routing`. */
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
  wrapper: `[${wrapperField}] is missing: this document is not one of a bulk of the migration`,
  identity:
    'the transform has changed ctx._id or ctx._routing without naming it: write ctx._id or ctx._routing in the script',
  unreadable: 'the service takes this script for one with a brace too many or too few; please report it',
  id: 'the transform must leave a text in ctx._id that is not empty',
  routing: 'the transform must leave a text or null in ctx._routing',
} as const;
const putsName = (name: string): string =>
  `the transform has put [${name}] into ctx._source, which is a name for metadata`;

/**
 * All reasons with which our script refuses. They contain nothing of a document, so the service may pass them on word
 * by word.
 */
export const transformRefusals: ReadonlySet<string> = new Set([
  ...Object.values(refusals),
  ...metadataNames.map(putsName),
]);

/**
 * Every variable has a type. Painless compares two operands of type `def` behind a guard that asks each for its class:
 * where one is null, and a routing mostly is, that makes and drops an exception for each document (3.7.0,
 * `DefBootstrap.MIC.checkBoth`). This took a fifth of what a copy with a transform cost the cluster.
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
Object id = ctx.get('_id');
Object routing = ctx.get('_routing');
`;

/** Puts back id, routing and version of the bulk: a script was not expected to change them here. */
const keepIdentity = `
if (!(wrapper instanceof Map)) {
  throw new IllegalArgumentException('${refusals.wrapper}');
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

const description = 'The transform of a migration that is under way. It is removed when the migration ends.';

/** A copy of params for each document, unmodifiable at the top like the original. */
const copyParams = `
def aoscCopyOf(def value) {
  if (value instanceof Map) {
    Map copy = new LinkedHashMap();
    for (Map.Entry entry : ((Map) value).entrySet()) copy.put(entry.getKey(), aoscCopyOf(entry.getValue()));
    return copy;
  }
  if (value instanceof List) {
    List copy = new ArrayList();
    for (Object element : (List) value) copy.add(aoscCopyOf(element));
    return copy;
  }
  return value;
}
`;

/**
 * The compiled form of a transform.
 *
 * Ingest scripts see the document itself as `ctx`; scripts of the update context, which is the contract's, see it as
 * `ctx._source`. So the document goes in as `{"_source": {…}, "op": "index", …}`, and the operator's script runs as a
 * function of our script: an early return ends only the function, it can assign to its own `ctx` only, and it can't
 * reach what must stay as it was (index, version). Our script takes the result out again; a `ctx.op` other than
 * `index`, or a `_source` that is no object, fails the document.
 *
 * Two scripts would cost more: ingest copies each document once for every script and looks for maps that contain
 * themselves (3.7.0, `ScriptProcessor.execute`). That was a twentieth of a copy's work.
 *
 * All documents of a bulk share the objects and lists in params, and OpenSearch writes the documents out when all of
 * them have been through (3.7.0, `IngestService.innerBatchExecute`): a script that takes such an object into a document
 * and changes it there would change it in all. So each document has its own copy.
 * @param rewritesIdentity false: the pipeline runs inside the bulks, and may not change ids; true: documents run
 *   through it before they are written, so that the service knows where each of them went
 */
export function transformPipeline(
  text: TransformText,
  { rewritesIdentity }: { readonly rewritesIdentity: boolean },
): PipelineDefinition {
  const { source, params = {} } = text;
  const parts = splitScript(source);
  if (parts === undefined) {
    // In our function such a script's braces would reach beyond it. In a processor of its own the compiler says what is
    // wrong with it; if it did compile, the second processor would refuse every document.
    const refuse = `throw new IllegalArgumentException('${refusals.unreadable}');`;
    return { description, processors: [script(text), script({ source: refuse })] };
  }
  const { functions, statements, lacksSemicolon } = parts;
  const isShared = Object.values(params).some((value) => typeof value === 'object' && value !== null);
  const joined = `${isShared ? copyParams : ''}${functions}
void aoscTransform(Map ctx, Map params) {
${statements}
${lacksSemicolon ? ';' : ''}}
Object wrapper = ctx.remove('${wrapperField}');
Object index = ctx.get('_index');
aoscTransform(ctx, ${isShared ? 'Collections.unmodifiableMap((Map) aoscCopyOf(params))' : 'params'});
${takeOut}${rewritesIdentity ? giveIdentity : keepIdentity}`;
  return { description, processors: [script({ ...text, source: joined })] };
}

/** Only the operator's script, so that the compiler's message is about nothing else. */
export function barePipeline(text: TransformText): PipelineDefinition {
  return { description, processors: [script(text)] };
}

function script({ source, params }: TransformText): ScriptProcessor {
  return { script: { lang: 'painless', source, ...(params !== undefined && { params }) } };
}
