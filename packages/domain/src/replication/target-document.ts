/** A realtime look at one document of the target, as far as these decisions need it. */
export type SeenTargetDocument =
  | { readonly found: false }
  | {
      readonly found: true;
      /** text: it can exceed 2^53 */
      readonly version: string;
      readonly routing: string | undefined;
      readonly seqNo: number;
      readonly primaryTerm: number;
    };
