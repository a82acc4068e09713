import type { Settings } from './settings-resolve';
import type { SettingKey } from './settings-table';

/**
 * Looks for settings that contradict each other. The caller passes the values that would be in force after a change,
 * because one change may set both sides.
 * @returns what contradicts each other, as the user reads it
 */
export function findSettingsConflicts(settings: Settings): readonly string[] {
  const conflicts: string[] = [];
  const demand = (low: SettingKey, lowValue: number, high: SettingKey, highValue: number, unit: string) => {
    if (lowValue <= highValue) return;
    conflicts.push(`[${low}] (${lowValue}${unit}) must be <= [${high}] (${highValue}${unit})`);
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
