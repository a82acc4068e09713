import type { Settings } from './settings-resolve';
import type { SettingKey } from './settings-table';

/** Two settings, each valid by itself, that contradict each other. */
export interface SettingsConflict {
  readonly keys: readonly [SettingKey, SettingKey];
  readonly reason: string;
}

/**
 * Looks for settings that contradict each other. The caller passes the values that would be in force after a change,
 * because one change may set both sides.
 */
export function findSettingsConflicts(settings: Settings): readonly SettingsConflict[] {
  const conflicts: SettingsConflict[] = [];
  const demand = (low: SettingKey, lowValue: number, high: SettingKey, highValue: number, unit: string) => {
    if (lowValue <= highValue) return;
    conflicts.push({
      keys: [low, high],
      reason: `[${low}] (${lowValue}${unit}) must be <= [${high}] (${highValue}${unit})`,
    });
  };
  for (const writer of ['backfill', 'replay'] as const) {
    const { batch, overload } = settings[writer].controller;
    const prefix = `aosc.${writer}.controller` as const;
    demand(`${prefix}.batch.min_bytes`, batch.minBytes, `${prefix}.batch.max_bytes`, batch.maxBytes, 'b');
    demand(
      `${prefix}.overload.base_pause`,
      overload.basePauseMs,
      `${prefix}.overload.max_pause`,
      overload.maxPauseMs,
      'ms',
    );
  }
  const { concurrency } = settings.backfill.controller;
  demand(
    'aosc.backfill.controller.concurrency',
    concurrency.initial,
    'aosc.backfill.controller.concurrency.max',
    concurrency.max,
    '',
  );
  return conflicts;
}
