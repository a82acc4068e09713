import type { InstallationNames, InstallationSide } from '@aosc/domain';

/**
 * Remembers when one side of the installation changed, on a clock that never jumps. Beside the quiet time, which
 * `UnchangedWatch` also knows, it counts renewals: they show that an installation lives.
 */
export class SideWatch {
  private version = '';
  private changedAt = 0;
  private renewals = 0;
  private context = '';

  /**
   * @param version differs after every write
   * @param context when it changes, the count of renewals starts at zero
   */
  see(
    names: InstallationNames | undefined,
    version: string,
    context: string,
    monotonic: number,
  ): InstallationSide {
    if (context !== this.context) {
      this.context = context;
      this.renewals = 0;
      this.changedAt = monotonic;
    } else if (version !== this.version) {
      this.renewals += 1;
      this.changedAt = monotonic;
    }
    this.version = version;
    return { names, quietMs: monotonic - this.changedAt, renewals: this.renewals };
  }
}
