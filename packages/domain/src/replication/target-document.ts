/** A realtime look at one document. */
export type TargetDocument =
  | { readonly found: false }
  | {
      readonly found: true;
      /** text: it can exceed 2^53 */
      readonly version: string;
      readonly routing: string | undefined;
      readonly seqNo: number;
      readonly primaryTerm: number;
    };
