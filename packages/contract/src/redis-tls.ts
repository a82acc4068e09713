/** How Redis is reached besides its address, when that is `rediss://`; PEM texts. */
export interface RedisTls {
  /** authority that signed the server's certificate, when it is not a public one */
  readonly ca?: string;
  /** shown to the server */
  readonly cert?: string;
  readonly key?: string;
}
