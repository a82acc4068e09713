import {
  maxSetAsideByDefault,
  type MigrationRecord,
  type SetAside,
  type SetAsideDocument,
  type ShardRecord,
} from '@aosc/contract';
import { groupRefused, withShortId } from './group-refused';

const sampleIds = 10;

type Shards = readonly Pick<ShardRecord, 'setAside'>[];
type Asked = Pick<MigrationRecord, 'options'>;

export const setsAside = ({ options }: Asked): boolean => options.onDocumentError === 'set_aside';

/** The documents of these shards that the target lacks because it refuses them. */
export function allSetAside(shards: Shards): readonly SetAsideDocument[] {
  return shards.flatMap(({ setAside = [] }) => setAside);
}

/** What a digest is made of: every document and its operation, in whatever order the records name them. */
export function digestedText(documents: readonly SetAsideDocument[]): string {
  const lines = documents.map(({ id, routing, version, seqNo }) =>
    JSON.stringify([id, routing ?? null, version, seqNo]),
  );
  return lines.sort().join('\n');
}

/** @param digest of {@link digestedText} */
export function summarizeSetAside(
  documents: readonly SetAsideDocument[],
  digest: string,
  { setAsideAccepted: accepted }: Pick<MigrationRecord, 'setAsideAccepted'>,
): SetAside {
  return {
    count: documents.length,
    digest,
    reasons: groupRefused(documents.map(withShortId), sampleIds),
    ...(accepted !== undefined && { accepted }),
  };
}

/**
 * Why the cutover does not begin, or go on: it may leave out only documents that a person has accepted.
 * @param digest of {@link digestedText}
 * @returns undefined: nothing is set aside, or exactly what was accepted
 */
export function describeUnaccepted(
  documents: readonly SetAsideDocument[],
  digest: string,
  { setAsideAccepted: accepted }: Pick<MigrationRecord, 'setAsideAccepted'>,
): string | undefined {
  if (documents.length === 0 || accepted?.digest === digest) return undefined;
  const what = documents.length === 1 ? '1 document is' : `${documents.length} documents are`;
  const since = accepted === undefined ? '' : ', and they are others than those that were accepted';
  return (
    `${what} set aside because the target refuses them${since}; change its mapping and retry them (_set_aside/_retry), ` +
    'or accept their digest (_cutover with accept_set_aside)'
  );
}

/** @param count of refused documents @returns how many the target refuses, and may; undefined: so many may be set aside */
export function findTooMany({ options }: Asked, count: number): string | undefined {
  const most = options.maxDocumentsSetAside ?? maxSetAsideByDefault;
  if (count <= most) return undefined;
  return `${count} documents, and ${most} may be set aside (max_documents_set_aside)`;
}
