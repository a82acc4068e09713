/** 96 bits, as three unsigned numbers of 32. */
export type Print = readonly [number, number, number];

const numbersPerPrint = 3;
/** Fuller tables take long to look through. */
const mostFull = 0.7;
const leastPlaces = 16;

/** What one place of a {@link PrintTable} takes. */
export const bytesPerPlace = numbersPerPrint * 4;

/** Places of a table of so many prints. */
export function placesFor(prints: number): number {
  return Math.max(leastPlaces, Math.ceil(prints / mostFull));
}

/** A set of prints, each at a place of its own in flat memory. */
export class PrintTable {
  private readonly places: number;
  private readonly numbers: Uint32Array;
  private left: number;

  /**
   * @param prints at the most
   * @throws RangeError when there is no memory for so many
   */
  constructor(prints: number) {
    this.places = placesFor(prints);
    this.numbers = new Uint32Array(this.places * numbersPerPrint);
    this.left = prints;
  }

  /** @returns its place, also when it was there before; undefined: there are more than were announced */
  add(given: Print): number | undefined {
    const print = nonZero(given);
    const place = this.placeOf(print);
    if (this.isAt(place, print)) return place;
    if (this.left === 0) return undefined;
    this.left -= 1;
    this.numbers.set(print, place * numbersPerPrint);
    return place;
  }

  /** @returns its place; undefined: it is not among them */
  find(given: Print): number | undefined {
    const print = nonZero(given);
    const place = this.placeOf(print);
    return this.isAt(place, print) ? place : undefined;
  }

  /** Where the print is, or would have to be. */
  private placeOf(print: Print): number {
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

/** All zeros are a free place. */
function nonZero(print: Print): Print {
  return print.every((number) => number === 0) ? [0, 0, 1] : print;
}
