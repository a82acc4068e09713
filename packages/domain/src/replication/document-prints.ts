import { murmur3 } from '../routing/murmur3';
import { documentKeyString } from './document-key';

interface VersionedDocument {
  readonly id: string;
  readonly routing: string | undefined;
  readonly version: string;
}

/** Two seeds make one print of 64 bits. */
const seeds = [0x2f6b_1c3d, 0x5bd1_e995] as const;
const bytesPerPlace = 8;
/** Fuller tables take long to look through. */
const mostFull = 0.6;
const leastPlaces = 16;

/** Bytes that {@link DocumentPrints} of so many documents takes. */
export function printBytes(documents: number): number {
  return bytesPerPlace * placesFor(documents);
}

function placesFor(documents: number): number {
  let places = leastPlaces;
  while (places * mostFull < documents) places *= 2;
  return places;
}

/**
 * Which documents a snapshot has, in 64 bits each: of millions, their ids would not fit into the memory of a process. Two
 * documents may have the same print, one in some 10^12 of a shard of millions: so "it has it" is to be proved by a count.
 * "It does not have it" is certain.
 */
export class DocumentPrints {
  private readonly first: Uint32Array;
  private readonly second: Uint32Array;
  private readonly mask: number;
  private left: number;

  /** @param documents at the most */
  constructor(documents: number) {
    const places = placesFor(documents);
    this.first = new Uint32Array(places);
    this.second = new Uint32Array(places);
    this.mask = places - 1;
    this.left = documents;
  }

  /** @throws RangeError when there are more than were announced */
  add(document: VersionedDocument): void {
    const [first, second] = printOf(document);
    const place = this.find(first, second);
    if (this.isAt(place, first, second)) return;
    if (this.left === 0) throw new RangeError('more documents than were announced');
    this.left -= 1;
    this.first[place] = first;
    this.second[place] = second;
  }

  /** Whether a document of this id, routing and version is among them; see above how sure that is. */
  has(document: VersionedDocument): boolean {
    const [first, second] = printOf(document);
    return this.isAt(this.find(first, second), first, second);
  }

  /** Where the print is, or would have to be. */
  private find(first: number, second: number): number {
    let place = first & this.mask;
    while (!this.isFree(place) && !this.isAt(place, first, second)) place = (place + 1) & this.mask;
    return place;
  }

  private isFree(place: number): boolean {
    return this.first[place] === 0 && this.second[place] === 0;
  }

  private isAt(place: number, first: number, second: number): boolean {
    return this.first[place] === first && this.second[place] === second;
  }
}

/** Never two zeros: they are a free place. */
function printOf(document: VersionedDocument): readonly [number, number] {
  const text = `${document.version} ${documentKeyString(document)}`;
  const first = murmur3(text, seeds[0]) >>> 0;
  const second = murmur3(text, seeds[1]) >>> 0;
  return first === 0 && second === 0 ? [0, 1] : [first, second];
}
