import type { CallOptions } from './options.ts';
import type { MigrationPhase } from './watch.ts';

export interface ListOptions extends CallOptions {
  /** `ACTIVE` stands for every phase that is no end; default: all */
  readonly status?: readonly MigrationPhase[];
  /** default 50, at most 500 */
  readonly size?: number;
}

export interface CreateTargetOptions extends CallOptions {
  /** default true: the answer says what would be created */
  readonly dryRun?: boolean;
}

export interface SettingsOptions extends CallOptions {
  /** settings that are not set as well, with their defaults; default false */
  readonly includeDefaults?: boolean;
}

export interface CleanupOptions extends CallOptions {
  /** default true: nothing is released */
  readonly dryRun?: boolean;
  /** default: every index */
  readonly index?: string;
  /** leases of migrations that have not ended as well; default false */
  readonly includeActive?: boolean;
}

export interface ClearOptions extends CallOptions {
  /** default true: nothing is cleared */
  readonly dryRun?: boolean;
  /** default: all */
  readonly migrationId?: string;
  /** default true */
  readonly tryClose?: boolean;
  /** default true */
  readonly undo?: boolean;
  /** default false */
  readonly detailed?: boolean;
}
