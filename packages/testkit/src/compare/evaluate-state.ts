import { digestOfSource } from '../digest';
import type { ExpectedState, ModelEntry } from '../model';
import type { MismatchKind } from './mismatches';

/** A document as it was found, or undefined when it isn't there. */
export type FoundDocument = { readonly version: string; readonly source: Buffer } | undefined;
type Details = Partial<Record<MismatchKind, string>>;

/** Compares what was found with what the writer's model accepts. @returns undefined when it is right */
export function evaluateState(entry: ModelEntry, found: FoundDocument): Details | undefined {
  let first: Details | undefined;
  for (const state of entry.acceptable) {
    const details = compareState(state, found);
    if (details === undefined) return undefined;
    first ??= details;
  }
  return first;
}

function compareState(expected: ExpectedState, found: FoundDocument): Details | undefined {
  if (!expected.present) {
    return found === undefined ? undefined : { extra: 'its delete was acknowledged last, but it is there' };
  }
  if (found === undefined) return { missing: 'its write was acknowledged last, but it is not there' };
  const details: Details = {};
  if (expected.version !== undefined && expected.version !== found.version) {
    details.differentVersion = `version ${found.version}, acknowledged was ${expected.version}`;
  }
  if (expected.sourceDigest !== undefined && expected.sourceDigest !== digestOfSource(found.source)) {
    details.differentSource = 'not the bytes that were acknowledged last';
  }
  return Object.keys(details).length === 0 ? undefined : details;
}
