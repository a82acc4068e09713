/**
 * A later version of the service has created this. This process can't know what it means, and a write could drop what
 * only that version knows. So it changes nothing, and leaves it to processes of that version.
 */
export class NewerVersionError extends Error {
  override readonly name = 'NewerVersionError';
  /**
   * @param what names it in the message ("migration record", "shard job")
   * @param version that it bears
   * @param known the newest one that this process can read
   */
  constructor(what: string, version: number, known: number) {
    super(
      `a later version of the service has made this ${what}: it has version ${version}, and this process knows ` +
        `versions up to ${known}. This process leaves it as it is; run the later version (docs/operations/upgrade.md)`,
    );
  }
}
