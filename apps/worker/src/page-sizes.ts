import { createPageSizer, type PageSizer } from '@aosc/domain';
import { LRUCache } from 'lru-cache';

const maxMigrations = 256;

/**
 * What this process knows of the sizes of each migration's documents. A last round under the write block, which has
 * few documents, then begins with a page for all of them instead of feeling its way up from a tiny one.
 */
export class PageSizes {
  private readonly sizers = new LRUCache<string, PageSizer>({ max: maxMigrations });

  of(migrationKey: string): PageSizer {
    const sizer = this.sizers.get(migrationKey) ?? createPageSizer();
    this.sizers.set(migrationKey, sizer);
    return sizer;
  }
}
