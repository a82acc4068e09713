/**
 * One document on its way from source to target. `_source` travels as the bytes OpenSearch stored: parsing would lose
 * integers over 2^53, `1.0`, the order of keys and repeated keys, and would cost twice the CPU.
 */
export interface RawDocument {
  /** `_id` as the JSON string token of the wire, quotes included: pasted into bulk lines as it is. */
  readonly idToken: string;
  /** `_routing` as the JSON string token of the wire; undefined: the document has none. */
  readonly routingToken: string | undefined;
  /** `_version` as text: it can exceed 2^53. */
  readonly version: string;
  /** The `_source` bytes; line breaks between tokens may still be in it. */
  readonly source: Uint8Array;
  /** Bytes of `_source`, `_id` and `_routing`: what the document adds to a bulk, but for its action line. */
  readonly size: number;
}

/** What a transform has made of a document: what is to be written, with the version of its origin. */
export interface TransformedDocument extends RawDocument {
  readonly origin: RawDocument;
}

/** A document's identity. The same `_id` with another routing is another document, even inside one shard. */
export interface DocumentKey {
  readonly id: string;
  readonly routing: string | undefined;
}

interface Written {
  readonly version: string;
  readonly seqNo: number;
  /** of the operation that has written it */
  readonly primaryTerm: number;
}

/** What a snapshot says of a document without its source. */
export interface DocumentHead extends DocumentKey, Written {}

/** What a snapshot says of a document; its source is on one line, as a bulk writes it. */
export interface WholeDocument extends RawDocument, Written {}
