import { mayRewriteIdentity } from '@aosc/domain';
import type { ExpectedTransform } from '@aosc/testkit';

/** The script as a start would take it. */
export function transformed(
  script: string,
  expected: ExpectedTransform,
  params?: Readonly<Record<string, unknown>>,
) {
  const text = { source: script, ...(params === undefined ? {} : { params }) };
  return { record: { ...text, rewritesIdentity: mayRewriteIdentity(text) }, expected };
}
