import { createPageSizer, type PageSizer } from '@aosc/domain';

const maxMigrations = 256;

/**
 * What this process knows of the sizes of each migration's documents. A last round under the write block, which has
 * few documents, then begins with a page for all of them instead of feeling its way up from a tiny one.
 */
export class PageSizes {
  /** the least recently used first */
  private readonly sizers = new Map<string, PageSizer>();

  of(migrationKey: string): PageSizer {
    const sizer = this.sizers.get(migrationKey) ?? createPageSizer();
    this.sizers.delete(migrationKey);
    this.sizers.set(migrationKey, sizer);
    const [oldest] = this.sizers.keys();
    if (this.sizers.size > maxMigrations && oldest !== undefined) this.sizers.delete(oldest);
    return sizer;
  }
}
