import { shorten } from '@aosc/contract';
import { isHiddenName, isOwnName } from '@aosc/domain';
import { matchesAny } from '../auth/index-pattern';

/**
 * Names that no caller's start may use: the service's own, and hidden ones that the operator has not allowed. System
 * indices of OpenSearch and its plugins are among those.
 * @param hiddenIndices patterns of `AOSC_HIDDEN_INDICES`
 */
export function findNameProblems(
  names: { readonly source: string; readonly target: string; readonly alias: string },
  hiddenIndices: readonly string[],
): readonly string[] {
  const asked = [
    ['source index', names.source],
    ['target index', names.target],
    ['alias', names.alias],
  ] as const;
  return asked.flatMap(([what, name]) => {
    if (isOwnName(name)) return [`${what} [${shorten(name)}] is a name of the service itself`];
    if (!isHiddenName(name) || matchesAny(hiddenIndices, name)) return [];
    return [
      `${what} [${shorten(name)}] is hidden, it begins with a dot: the operator can allow it in AOSC_HIDDEN_INDICES`,
    ];
  });
}

const maxBytes = 255;
// eslint-disable-next-line no-control-regex -- the control characters are the point
const illegalInNames = /[\\/*?"<>|,# :\u0000-\u001f\u007f]|\p{Surrogate}/u;

/**
 * Whether a text can be the name of one alias: no wildcard, list, exclusion or date math. OpenSearch would take any
 * other text for something else than a name. Rules: `MetadataCreateIndexService.validateIndexOrAliasName` of
 * OpenSearch.
 */
export function isAliasName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !/^[-_+]/.test(name) &&
    !illegalInNames.test(name) &&
    Buffer.byteLength(name) <= maxBytes
  );
}

/** Whether a text can be the name of one index: as for aliases, and in lower case. */
export function isIndexName(name: string): boolean {
  return isAliasName(name) && name === name.toLowerCase();
}
