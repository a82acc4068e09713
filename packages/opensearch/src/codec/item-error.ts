import { createParser, maybe } from '@aosc/contract';
import { transformRefusals } from '@aosc/domain';
import { type Static, Type } from '@sinclair/typebox';

const longestReason = 1000;
const longestStack = 600;

/** The error of one document of a bulk or of `_simulate`. */
export const ItemErrorSchema = Type.Object({
  type: Type.String(),
  reason: maybe(Type.Union([Type.String(), Type.Null()])),
  script_stack: maybe(Type.Array(Type.String())),
  caused_by: maybe(Type.Unknown()),
});
export type ItemError = Static<typeof ItemErrorSchema>;

export const parseItemError = createParser('error of a document', ItemErrorSchema);

/**
 * The reason of an error; of a script's with its cause and the place in the script: "runtime error" says nothing. It
 * leaves out the cause's message where the script may have built it from a document (`throw new
 * IllegalArgumentException(ctx._source.toString())`), because it goes into answers and the status. For a compile error
 * the message is about the script's text, and the transform's own refusals are fixed texts.
 */
export function describeItemError({ reason, script_stack: stack, caused_by: cause }: ItemError): string {
  const parts = [reason ?? ''];
  if (stack !== undefined) {
    const inner = readCause(cause, reason === 'compile error');
    if (inner !== undefined) parts.push(inner);
    parts.push(`script stack: ${stack.join(' ').replace(/\s+/g, ' ').slice(0, longestStack)}`);
  }
  return parts.join('; ').slice(0, longestReason + longestStack);
}

function readCause(cause: unknown, isCompileError: boolean): string | undefined {
  try {
    const { type, reason } = parseItemError(cause);
    const isKnown = isCompileError || transformRefusals.has(reason ?? '');
    return (isKnown ? `${type}: ${reason ?? ''}` : type).slice(0, longestReason);
  } catch {
    return undefined;
  }
}
