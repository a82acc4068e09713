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
