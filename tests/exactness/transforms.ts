import { mayRewriteIdentity } from '@aosc/domain';
import type { HarnessOptions } from '../races/support/harness';
import type { TransformKind } from './plan';

type Transform = NonNullable<HarnessOptions['transform']>;

/** Early return, a function, a parameter, a removed and a new field. */
const keepsIds: Transform = transformed(
  `int twice(int n) { return n * 2; }
   if (ctx._source.n == null) return;
   ctx._source.twice = twice(ctx._source.n) + params.offset;
   if (ctx._source.n % 5 == 0) { ctx._source.remove('title') }`,
  ({ id, routing, source: { title, ...rest } }) => {
    if (rest['n'] === undefined) return { id, routing, source: { ...rest, ...titled(title) } };
    const n = Number(rest['n']);
    return { id, routing, source: { ...rest, ...(n % 5 === 0 ? {} : titled(title)), twice: n * 2 + 7 } };
  },
  { offset: 7 },
);

/** Another id when the group changes, another routing when the number does. */
const rewritesIds: Transform = transformed(
  `if (ctx._source.group == null) return;
   ctx._id = ctx._source.group + '-' + ctx._id;
   if (ctx._source.n % 2 == 0) ctx._routing = 'even';`,
  ({ id, routing, source }) =>
    typeof source['group'] !== 'string'
      ? { id, routing, source }
      : {
          id: `${source['group']}-${id}`,
          routing: Number(source['n']) % 2 === 0 ? 'even' : routing,
          source,
        },
);

const transforms: Readonly<Record<TransformKind, Transform | undefined>> = {
  none: undefined,
  keeps_ids: keepsIds,
  rewrites_ids: rewritesIds,
};

export function transformOf(kind: TransformKind): Transform | undefined {
  return transforms[kind];
}

function titled(title: unknown): { readonly title?: unknown } {
  return title === undefined ? {} : { title };
}

function transformed(
  source: string,
  expected: Transform['expected'],
  params?: Record<string, unknown>,
): Transform {
  const text = { source, ...(params === undefined ? {} : { params }) };
  return { record: { ...text, rewritesIdentity: mayRewriteIdentity(text) }, expected };
}
