import { type ControllerSettings, resolveSettings, type SettingTexts } from '@aosc/contract';

/** Settings of the backfill writer: the contract's defaults with these changes (`batch.max_docs` and so on). */
export function backfillSettings(changes: SettingTexts = {}): ControllerSettings {
  const texts: Record<string, string> = {};
  for (const [suffix, text] of Object.entries(changes)) texts[`aosc.backfill.controller.${suffix}`] = text;
  return resolveSettings(texts).backfill.controller;
}
