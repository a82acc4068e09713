import { documentKeyString } from './document-key';

interface VersionedDocument {
  readonly id: string;
  readonly routing: string | undefined;
  readonly version: string;
}

/** 96 bits, as three unsigned numbers of 32. */
export type Print = readonly [number, number, number];

/**
 * Makes the print of a text: equal texts have equal prints, and different texts have equal ones only by chance, even if
 * an attacker chose them. So it is a cryptographic digest with a secret salt.
 */
export type Digest = (text: string) => Print;

const numbersPerPrint = 3;
const bytesPerNumber = 4;
/** Fuller tables take long to search. */
const mostFull = 0.7;
const leastPlaces = 16;

/** Bytes that {@link DocumentPrints} of so many documents takes. */
export function printBytes(documents: number): number {
  return placesFor(documents) * numbersPerPrint * bytesPerNumber;
}

function placesFor(documents: number): number {
  return Math.max(leastPlaces, Math.ceil(documents / mostFull));
}

/**
 * Which documents a snapshot has, in 96 bits each: the ids of millions would not fit into the memory of a process. The
 * probability that one of ten million documents is taken for one of ten million others is 10^-15.
 */
export class DocumentPrints {
  private readonly places: number;
  private readonly numbers: Uint32Array;
  private left: number;

  /**
   * @param documents the most that will be added
   * @throws RangeError when there is not enough memory for them
   */
  constructor(
    documents: number,
    private readonly digest: Digest,
  ) {
    this.places = placesFor(documents);
    this.numbers = new Uint32Array(this.places * numbersPerPrint);
    this.left = documents;
  }

  /** @returns false when there are more than announced, and this one was not added */
  add(document: VersionedDocument): boolean {
    const print = this.printOf(document);
    const place = this.find(print);
    if (this.isAt(place, print)) return true;
    if (this.left === 0) return false;
    this.left -= 1;
    this.numbers.set(print, place * numbersPerPrint);
    return true;
  }

  /** Whether a document of this id, routing and version is among them. */
  has(document: VersionedDocument): boolean {
    const print = this.printOf(document);
    return this.isAt(this.find(print), print);
  }

  /** Never all zeros: they mark a free place. */
  private printOf(document: VersionedDocument): Print {
    const print = this.digest(`${document.version} ${documentKeyString(document)}`);
    return print.every((number) => number === 0) ? [0, 0, 1] : print;
  }

  /** The place of the print, or where it would have to be. */
  private find(print: Print): number {
    let place = print[0] % this.places;
    while (!this.isAt(place, free) && !this.isAt(place, print)) place = (place + 1) % this.places;
    return place;
  }

  private isAt(place: number, [first, second, third]: Print): boolean {
    const at = place * numbersPerPrint;
    return this.numbers[at] === first && this.numbers[at + 1] === second && this.numbers[at + 2] === third;
  }
}

const free: Print = [0, 0, 0];
