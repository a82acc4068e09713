import ts from 'typescript';
import { nodesOf, type Source } from '../catalogue/sources';

/** A text as it is written, with … where a value comes in; undefined: it is made elsewhere. */
function writtenText(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map((span) => `…${span.literal.text}`)].join('');
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const parts = [writtenText(node.left), writtenText(node.right)];
    return parts.every((part) => part === undefined) ? undefined : parts.map((part) => part ?? '…').join('');
  }
  return undefined;
}

/** Texts that end a shard or a migration, where they are written at the place that ends it. */
export function findFailureTexts(sources: readonly Source[]): readonly string[] {
  const engine = sources.filter(({ path }) => path.startsWith('packages/engine/'));
  return engine.flatMap(({ file }) =>
    [...nodesOf(file)].flatMap((node) => {
      const isError = ts.isNewExpression(node) && node.expression.getText() === 'ShardFailedError';
      const isEnd = ts.isCallExpression(node) && node.expression.getText() === 'failMigration';
      if (!isError && !isEnd) return [];
      const text = node.arguments?.map(writtenText).find((each) => each !== undefined);
      // A call that only joins texts has none of its own.
      return text !== undefined && /[a-z]{4}/.test(text) ? [text] : [];
    }),
  );
}

/** All texts of the service, as they are written. */
export function findTexts(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ file }) =>
    [...nodesOf(file)].flatMap((node) => {
      const isText =
        ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isBinaryExpression(node);
      const text = isText ? writtenText(node) : undefined;
      return text === undefined ? [] : [text];
    }),
  );
}
