import type { RawDocument, WholeDocument } from '@aosc/engine';
import { giveLargeBuffer } from '../client/large-buffers';
import { Byte } from './json-cursor';
import type { HitBounds } from './hit-scanner';
import { toOneLine } from './one-line';

/** The bytes of one answer, which stay in memory as long as one of its documents does. */
export class PageBytes {
  /** JSON has no raw line break inside a string, so only a source that was sent with some has one. */
  readonly hasLineBreaks: boolean;

  private held: Buffer | undefined;

  constructor(bytes: Buffer) {
    this.held = bytes;
    this.hasLineBreaks = bytes.includes(Byte.lineFeed) || bytes.includes(Byte.carriageReturn);
  }

  /** @throws Error after the release: reading on would show another page's bytes */
  get bytes(): Buffer {
    if (this.held === undefined) throw new Error('a document was used after its page was released');
    return this.held;
  }

  release(): void {
    if (this.held === undefined) return;
    giveLargeBuffer(this.held);
    this.held = undefined;
  }
}

const oneDigit = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

/**
 * A document as positions in its page, which makes its parts on demand: a view and three strings for each of a million
 * documents took a fifth of the worker's time, most of it garbage collection.
 */
export class PageDocument implements RawDocument {
  readonly idStart: number;
  readonly idEnd: number;
  readonly routingStart: number;
  readonly routingEnd: number;
  readonly versionStart: number;
  readonly versionEnd: number;
  readonly sourceStart: number;
  readonly sourceEnd: number;

  constructor(
    readonly page: PageBytes,
    hit: HitBounds,
  ) {
    this.idStart = hit.idStart;
    this.idEnd = hit.idEnd;
    this.routingStart = hit.routingStart;
    this.routingEnd = hit.routingEnd;
    this.versionStart = hit.versionStart;
    this.versionEnd = hit.versionEnd;
    this.sourceStart = hit.sourceStart;
    this.sourceEnd = hit.sourceEnd;
  }

  get size(): number {
    return (
      this.sourceEnd - this.sourceStart + this.idEnd - this.idStart + this.routingEnd - this.routingStart
    );
  }

  get idToken(): string {
    return this.page.bytes.toString('utf8', this.idStart, this.idEnd);
  }

  get routingToken(): string | undefined {
    if (this.routingStart === -1) return undefined;
    return this.page.bytes.toString('utf8', this.routingStart, this.routingEnd);
  }

  get version(): string {
    return readDigits(this.page.bytes, this.versionStart, this.versionEnd);
  }

  get source(): Uint8Array {
    return this.page.bytes.subarray(this.sourceStart, this.sourceEnd);
  }
}

/** The same with the operation that has written it. */
export class WholePageDocument extends PageDocument implements WholeDocument {
  readonly seqNo: number;
  readonly primaryTerm: number;

  constructor(page: PageBytes, hit: HitBounds) {
    super(page, hit);
    this.seqNo = hit.seqNo;
    this.primaryTerm = hit.primaryTerm;
  }

  override get source(): Uint8Array {
    return this.page.hasLineBreaks ? toOneLine(super.source) : super.source;
  }
}

/** Most versions have one digit: a constant is cheaper than a new string for each document. */
export function readDigits(bytes: Buffer, start: number, end: number): string {
  const digit = end - start === 1 ? oneDigit[(bytes[start] ?? 0) - Byte.zero] : undefined;
  return digit ?? bytes.toString('latin1', start, end);
}
