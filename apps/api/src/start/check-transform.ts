import { AoscError } from '@aosc/contract';
import type { StartRequest } from './start-request';

const supportedContext = 'update';

/**
 * Only identity copies exist: an inline script that is literally `identity` is one.
 * @throws AoscError illegal_argument
 */
export function checkTransform({ script }: StartRequest): void {
  if (script === undefined) return;
  const context = script.script_context ?? supportedContext;
  if (context !== supportedContext) {
    throw new AoscError(
      'illegal_argument',
      `Unknown transform script_context [${context}]. Supported: [${supportedContext}]`,
    );
  }
  if (script.type === 'inline' && script.source?.trim() === 'identity') return;
  throw new AoscError('illegal_argument', 'transforms are not supported by this version yet');
}
