import { documentKeyString } from './document-key';
import { bytesPerPlace, placesFor, type Print, PrintTable } from './print-table';

interface VersionedDocument {
  readonly id: string;
  readonly routing: string | undefined;
  readonly version: string;
}

/**
 * Makes the print of a text and of bytes that follow it: equal texts have equal prints, and different texts have equal ones only by chance, even if
 * an attacker chose them. So it is a cryptographic digest with a secret salt.
 */
export type Digest = (text: string, content?: Uint8Array) => Print;

/** Bytes that {@link DocumentPrints} of so many documents takes. */
export function printBytes(documents: number): number {
  return placesFor(documents) * bytesPerPlace;
}

/**
 * Which documents a snapshot has, in 96 bits each: the ids of millions would not fit into the memory of a process. The
 * probability that one of ten million documents is taken for one of ten million others is 10^-15.
 */
export class DocumentPrints {
  private readonly table: PrintTable;

  /**
   * @param documents the most that will be added
   * @throws RangeError when there is not enough memory for them
   */
  constructor(
    documents: number,
    private readonly digest: Digest,
  ) {
    this.table = new PrintTable(documents);
  }

  /** @returns false when there are more than announced, and this one was not added */
  add(document: VersionedDocument): boolean {
    return this.table.add(this.printOf(document)) !== undefined;
  }

  /** Whether a document of this id, routing and version is among them. */
  has(document: VersionedDocument): boolean {
    return this.table.find(this.printOf(document)) !== undefined;
  }

  private printOf(document: VersionedDocument): Print {
    return this.digest(`${document.version} ${documentKeyString(document)}`);
  }
}
