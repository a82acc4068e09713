import { readIndexSettings, type StatusDocument, waitForPhase } from '@aosc/testkit';
import { expectStarted, pathOf, type Workshop } from './workshop';
import { fill, makePair, type Names } from './indices';

/** The target's mapping refuses every document. */
export interface FailedSample extends Names {
  readonly ended: StatusDocument;
  readonly targetSettingsAfter: Readonly<Record<string, string>>;
}

export async function runFailed(workshop: Workshop): Promise<FailedSample> {
  const { environment, api } = workshop;
  const names = await makePair(
    workshop,
    'c-failed',
    { shards: 1 },
    {
      shards: 1,
      settings: { 'index.refresh_interval': '9s' },
      mappings: { properties: { key: { type: 'integer' } } },
    },
  );
  const { source, target, alias } = names;
  await fill(workshop, source, 5);
  expectStarted(await api('POST', pathOf(source, '_start'), { target_index: target, alias }));
  const ended = await waitForPhase(environment.apiUrl, source, ['FAILED'], { intervalMs: 100 });
  return { ...names, ended, targetSettingsAfter: await readIndexSettings(environment.http, target) };
}
