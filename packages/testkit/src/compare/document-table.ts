import { hash } from 'node:crypto';

const wordsPerRow = 11;
const keyWords = 4;
const sourceWords = 4;
const versionAt = keyWords + sourceWords;
const stateAt = versionAt + 2;
const used = 1;
const seen = 2;

/** What is kept of a document: 44 bytes, however large it is. */
export interface DocumentDigest {
  /** 128 bits of the identity */
  readonly key: Buffer;
  /** 128 bits of the normalised source */
  readonly source: Buffer;
  readonly version: bigint;
}

/** The first 128 bits of SHA-1: a million documents collide with a chance of 1 in 10^27. */
export function digest(data: string | Buffer): Buffer {
  return hash('sha1', data, 'buffer');
}

/**
 * A hash table with open addressing in one typed array: a million documents take about 70 MB and nothing for
 * the garbage collector to walk through.
 */
export class DocumentTable {
  private readonly rows: Uint32Array;
  private readonly capacity: number;
  private count = 0;

  /** @param expected documents that will be added at most */
  constructor(expected: number) {
    this.capacity = Math.ceil(expected / 0.65) + 16;
    this.rows = new Uint32Array(this.capacity * wordsPerRow);
  }

  /** @returns false when a document with this key is there already; it stays as it is */
  add(document: DocumentDigest): boolean {
    const row = this.targetPlacesOf(document.key);
    if (this.word(row + stateAt) !== 0) return false;
    this.count += 1;
    if (this.count > this.capacity * 0.9) throw new Error('more documents than the table was made for');
    for (let word = 0; word < keyWords; word += 1)
      this.rows[row + word] = document.key.readUInt32LE(word * 4);
    for (let word = 0; word < sourceWords; word += 1) {
      this.rows[row + keyWords + word] = document.source.readUInt32LE(word * 4);
    }
    const version = BigInt.asUintN(64, document.version);
    this.rows[row + versionAt] = Number(version & 0xffffffffn);
    this.rows[row + versionAt + 1] = Number(version >> 32n);
    this.rows[row + stateAt] = used;
    return true;
  }

  /** Marks a document as seen on the other side. @returns undefined when it isn't in the table */
  match(
    document: DocumentDigest,
  ): { seenBefore: boolean; sameVersion: boolean; sameSource: boolean } | undefined {
    const row = this.targetPlacesOf(document.key);
    const state = this.word(row + stateAt);
    if (state === 0) return undefined;
    this.rows[row + stateAt] = seen;
    const version = (BigInt(this.word(row + versionAt + 1)) << 32n) | BigInt(this.word(row + versionAt));
    return {
      seenBefore: state === seen,
      sameVersion: version === BigInt.asUintN(64, document.version),
      sameSource: this.equalWords(row + keyWords, document.source, sourceWords),
    };
  }

  isUnseen(key: Buffer): boolean {
    return this.word(this.targetPlacesOf(key) + stateAt) === used;
  }

  /** Documents that no {@link match} has seen. */
  countUnseen(): number {
    let unseen = 0;
    for (let row = 0; row < this.rows.length; row += wordsPerRow) {
      if (this.rows[row + stateAt] === used) unseen += 1;
    }
    return unseen;
  }

  /** Offset of the row that holds the key, or of the free one where it would go. */
  private targetPlacesOf(key: Buffer): number {
    let slot = key.readUInt32LE(0) % this.capacity;
    for (;;) {
      const row = slot * wordsPerRow;
      if (this.word(row + stateAt) === 0 || this.equalWords(row, key, keyWords)) return row;
      slot = (slot + 1) % this.capacity;
    }
  }

  private equalWords(offset: number, bytes: Buffer, words: number): boolean {
    for (let word = 0; word < words; word += 1) {
      if (this.rows[offset + word] !== bytes.readUInt32LE(word * 4)) return false;
    }
    return true;
  }

  private word(offset: number): number {
    return this.rows[offset] ?? 0;
  }
}
