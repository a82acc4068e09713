import { ESLintUtils } from '@typescript-eslint/utils';
import ts from 'typescript';

/**
 * Refuses to look a text up in a plain object. `aliases[name]` finds `Object.prototype.constructor` when somebody has
 * given an alias that name, and `name in aliases` says yes: names from outside are keys of Maps, or looked up with
 * `ownValue`. Names that the code itself spells out, and numbers, may be looked up; so may anything in an object without
 * a string index, whose keys the compiler knows.
 */
export const noRecordLookup = ESLintUtils.RuleCreator.withoutDocs({
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      lookup:
        'Look names up in a Map, or with `ownValue`: a plain object has `constructor`, `toString` and others.',
    },
  },
  defaultOptions: [],
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    const checker = services.program.getTypeChecker();

    const isAnyText = (node) => {
      const type = services.getTypeAtLocation(node);
      const parts = type.isUnion() ? type.types : [type];
      return parts.some((part) => (part.flags & ts.TypeFlags.String) !== 0);
    };
    const isNumberAsText = (node) =>
      node.type === 'CallExpression' &&
      node.callee.name === 'String' &&
      (services.getTypeAtLocation(node.arguments[0]).flags & ts.TypeFlags.NumberLike) !== 0;
    const isDictionary = (node) => {
      const type = checker.getNonNullableType(services.getTypeAtLocation(node));
      const parts = type.isUnion() ? type.types : [type];
      return parts.some((part) =>
        checker.getIndexInfosOfType(part).some(({ keyType }) => keyType === checker.getStringType()),
      );
    };

    return {
      MemberExpression(node) {
        if (!node.computed || isNumberAsText(node.property)) return;
        if (!isAnyText(node.property) || !isDictionary(node.object)) return;
        context.report({ node, messageId: 'lookup' });
      },
      "BinaryExpression[operator='in']"(node) {
        if (isAnyText(node.left)) context.report({ node, messageId: 'lookup' });
      },
    };
  },
});
