import { readFile } from 'node:fs/promises';
import { sendChecked } from '@aosc/testkit';
import { errorLike } from '../../../apps/api/src/__tests__/error-like';
import type { Rows } from '../support/contract-run';
import { pathOf } from '../support/workshop';

export const serviceRows: Rows = {
  'service/1': ({ samples }) => {
    // The sample created the target itself. The service learned its name from the start, and the source's from the
    // path.
    expect(samples.completed.started.status).toBe(200);
    expect(samples.completed.ended).toMatchObject({ target_index: samples.completed.target });
  },
  'service/2': ({ samples }) => {
    const { writes } = samples.completed;
    expect(writes).toHaveLength(60);
    for (const write of writes) {
      expect(write).toMatchObject({ result: expect.stringMatching(/^(created|updated|deleted)$/) as string });
    }
    expect(samples.merged.comparison.mismatches.total).toBe(0);
    expect(samples.merged.comparison.judgedBySource).toBeGreaterThan(0);
  },
  'service/4': ({ samples }) => {
    const { ended, aliasAfter, target, sourceSettingsAfter } = samples.completed;
    expect(ended.cutover_context).toMatchObject({ doc_count_validation_passed: true });
    expect(Object.keys(aliasAfter as object)).toEqual([target]);
    expect(sourceSettingsAfter['index.blocks.write']).toBe('true');
    expect(samples.merged.sourceSettingsAfter['index.blocks.write']).not.toBe('true');
  },
  'service/5': ({ samples }) => {
    expect(new Set(samples.modes.map(({ mode }) => mode))).toEqual(
      new Set(['SAME_SHARD', 'SPLIT_SHARD', 'BULK_API', undefined]),
    );
  },
  'service/6': async ({ api }) => {
    const { body } = await api('GET', '/openapi.json');
    const paths = ['{index}/_start', '{index}/_status', '_list', '{index}/_cancel'];
    for (const path of [...paths, '_admin/_cleanup_leases', '_admin/_clear_state']) {
      expect(body).toHaveProperty(['paths', `/_plugins/_aosc/${path}`]);
    }
  },
  'service/7': ({ samples }) => {
    // Without a permit nothing began; raised through the settings, all of them did, with no restart in between.
    expect(Object.values(samples.completed.pending.shards).map(({ phase }) => phase)).toEqual([
      'PENDING',
      'PENDING',
    ]);
    expect(samples.completed.ended.phase).toBe('COMPLETED');
  },
  'service/8': async ({ environment, api }) => {
    const { headers } = await sendChecked(environment.apiUrl, '/_plugins/_aosc/_list', {});
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(await api('GET', '/_list')).toEqual(errorLike(404, 'no_handler_exception', 'no handler found'));
  },
  'auth/open-by-default': async ({ api }) => {
    // No credentials are configured here, so none are asked for, and the API listens on the loopback address.
    expect((await api('GET', '/_plugins/_aosc/_list')).status).toBe(200);
  },
  'events/metrics': async ({ api }) => {
    const { status, body } = await api('GET', '/metrics');
    expect(status).toBe(200);
    expect(body).toContain('process_cpu_seconds_total{app="api"}');
  },
  'events/surfaces': async ({ environment, samples }) => {
    const { migration_id: id } = samples.completed.ended;
    const [scheduler] = environment.service.schedulers;
    const [worker] = environment.service.workers;
    const read = async (file: string | undefined) => (await readFile(file ?? '', 'utf8')).split('\n');
    const about = (lines: readonly string[]) =>
      lines
        .filter((line) => line.startsWith('{') && line.includes(id))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(about(await read(scheduler?.logFile))).toContainEqual(
      expect.objectContaining({
        migration: id,
        event: 'phase_transition_coordinator',
        toPhase: 'COMPLETED',
      }),
    );
    expect(about(await read(worker?.logFile))).toContainEqual(
      expect.objectContaining({
        migration: id,
        event: 'backfill_complete',
        shard: expect.any(Number) as number,
      }),
    );
  },
};

export const errorRows: Rows = {
  'errors/unknown-status': async ({ api }) => {
    expect(await api('GET', pathOf('c-nobody', '_status'))).toEqual(
      errorLike(404, 'resource_not_found_exception', 'No migration found for index [c-nobody]'),
    );
  },
  'errors/bulk-api': ({ samples }) => {
    const shrink = samples.modes.find(({ from, to }) => from === 4 && to === 2);
    expect(shrink?.plain).toEqual(
      errorLike(400, 'illegal_argument_exception', 'accept_data_loss_if_custom_routing_is_used=true'),
    );
  },
  'errors/failed': ({ samples }) => {
    const { ended } = samples.failed;
    expect(ended.phase).toBe('FAILED');
    expect(ended.error_message).toMatch(/\S/);
    const [shard] = Object.values(ended.shards);
    expect(shard).toMatchObject({ phase: 'FAILED', error: expect.stringMatching(/\S/) as string });
    expect(ended.transition_history?.map(({ phase }) => phase)).toContain('FAILING');
  },
  'errors/replay-adaptive': async ({ api }) => {
    const persistent = { 'aosc.replay.controller.type': 'adaptive' };
    expect(await api('PUT', '/_cluster/settings', { persistent })).toEqual(
      errorLike(400, 'illegal_argument_exception', "Replay controller does not support 'adaptive'"),
    );
  },
};
