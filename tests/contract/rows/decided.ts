import { errorLike } from '../../../apps/api/src/__tests__/error-like';
import { sendChecked } from '@aosc/testkit';
import type { Rows } from '../support/contract-run';
import { pathOf, shardOf } from '../support/workshop';

const validation = 'action_request_validation_exception';
const illegal = 'illegal_argument_exception';
const state = 'illegal_state_exception';
const settings = '/_cluster/settings';

const statusRows: Rows = {
  'decided/400': async ({ api, samples }) => {
    const { source, target } = samples.cancelled;
    // a request that is wrong, and a precondition that fails
    expect(await api('POST', pathOf(source, '_start'), {})).toEqual(errorLike(400, validation, 'required'));
    expect(await api('POST', pathOf(source, '_start'), { target_index: target, alias: 'c-late' })).toEqual(
      errorLike(400, state, 'Migration precondition check failed: alias [c-late]'),
    );
  },
  'decided/404': async ({ api }) => {
    const unknown = 'resource_not_found_exception';
    expect(await api('POST', pathOf('c-nobody', '_cancel'))).toEqual(
      errorLike(404, unknown, 'No active migration found for source index: [c-nobody]'),
    );
    expect((await api('GET', pathOf('c-nobody', '_status'))).status).toBe(404);
  },
  'decided/409/second-start': ({ samples }) => {
    const { secondStart, source } = samples.completed;
    expect(secondStart).toEqual(
      errorLike(409, state, `Active migration already exists for source index: ${source}`),
    );
  },
  'decided/409/index-in-use': ({ samples }) => {
    const { otherIntoTarget, startOfTarget, target } = samples.completed;
    expect(otherIntoTarget).toEqual(
      errorLike(409, state, `Active migration already exists for target index: ${target}`),
    );
    expect(startOfTarget).toEqual(
      errorLike(409, state, `Active migration already exists for source index: ${target}`),
    );
  },
  'decided/409/cancel-of-ended': ({ samples }) => {
    const { completed, cancelled } = samples;
    const refusal = (source: string, phase: string) =>
      errorLike(
        409,
        state,
        `Cannot cancel migration for [${source}] — migration is already in terminal phase: ${phase}`,
      );
    expect(completed.cancelAfter).toEqual(refusal(completed.source, 'COMPLETED'));
    expect(cancelled.cancelAfter).toEqual(refusal(cancelled.source, 'CANCELLED'));
  },
};

const startRows: Rows = {
  'decided/unknown-field': async ({ api }) => {
    const start = (body: object) => api('POST', pathOf('c-nobody', '_start'), body);
    expect(await start({ target_index: 't', alias: 'a', alais: 'b' })).toEqual(
      errorLike(400, validation, 'unknown field [alais] -> did you mean [alias]?'),
    );
    const options = { doc_count_tolerence: 1 };
    expect(await start({ target_index: 't', alias: 'a', options })).toEqual(
      errorLike(
        400,
        validation,
        'unknown field [options.doc_count_tolerence] -> did you mean [doc_count_tolerance]?',
      ),
    );
  },
  'decided/source_index': async ({ api }) => {
    // The one in the path counts.
    const body = { target_index: 't', alias: 'a', source_index: 'c-completed-v1' };
    expect(await api('POST', pathOf('c-nobody', '_start'), body)).toEqual(
      errorLike(400, illegal, 'source index [c-nobody] not found'),
    );
  },
  'decided/apply_to_deletes': async ({ api }) => {
    const start = (apply_to_deletes: unknown) =>
      api('POST', pathOf('c-nobody', '_start'), {
        target_index: 't',
        alias: 'a',
        transform_script: { type: 'inline', source: 'identity', apply_to_deletes },
      });
    expect(await start(true)).toEqual(errorLike(400, illegal, 'source index [c-nobody] not found'));
    expect(await start('yes')).toEqual(
      errorLike(400, validation, 'transform_script.apply_to_deletes must be a boolean'),
    );
  },
  'decided/alias-nowhere': async ({ api, samples }) => {
    const { target, aliasAfter } = samples.merged;
    expect(Object.keys(aliasAfter as object)).toEqual([target]);
    const { source, target: empty } = samples.cancelled;
    const body = { target_index: empty, alias: 'c-cancelles' };
    expect(await api('POST', pathOf(source, '_start'), body)).toEqual(
      errorLike(400, state, `alias [c-cancelles] is not on source index [${source}]`),
    );
  },
  'decided/alias-elsewhere': async ({ api, samples }) => {
    const { source, target } = samples.cancelled;
    expect(await api('POST', pathOf(source, '_start'), { target_index: target, alias: 'c-failed' })).toEqual(
      errorLike(400, state, 'alias [c-failed] already exists on unrelated index(es)'),
    );
  },
  'decided/alias-is-index': async ({ api, samples }) => {
    const { source, target } = samples.cancelled;
    expect(await api('POST', pathOf(source, '_start'), { target_index: target, alias: 'c-late-v1' })).toEqual(
      errorLike(400, state, 'alias [c-late-v1] conflicts with an existing concrete index of the same name'),
    );
  },
  'decided/alias-properties': ({ samples }) => {
    const { aliasAfter, target, alias } = samples.completed;
    expect(aliasAfter).toMatchObject({
      [target]: { aliases: { [alias]: { is_write_index: true, filter: { exists: { field: 'key' } } } } },
    });
  },
};

const shownRows: Rows = {
  'decided/phases': async ({ api, samples }) => {
    for (const phase of ['INITIALIZING', 'REPLAYING']) {
      expect(await api('GET', `/_plugins/_aosc/_list?status=${phase}`)).toEqual(
        errorLike(400, illegal, `unknown status: '${phase}'`),
      );
    }
    expect(samples.modes.map(({ mode }) => mode)).not.toContain('SHRINK_SHARD');
    // A shrink by a power of two is BULK_API, and needs the option.
    const shrink = samples.modes.find(({ from, to }) => from === 4 && to === 2);
    expect(shrink).toMatchObject({ mode: 'BULK_API', plain: { status: 400 }, consenting: { status: 200 } });
  },
  'decided/first-round': ({ samples }) => {
    const { replay, transition_history: history } = shardOf(samples.completed.ended, 0);
    const phases = history?.map(({ phase }) => phase) ?? [];
    expect(phases[phases.indexOf('BACKFILLING') + 1]).toBe('CONVERGING');
    expect(replay).toMatchObject({ status: 'COMPLETED', rounds: 1 });
  },
  'decided/migration-id': async ({ api, samples }) => {
    const { ended, second } = samples.cancelled;
    for (const { migration_id: id, source_index: source, target_index: target } of [ended, second]) {
      expect(id).toMatch(new RegExp(`^${source}__${target}__\\d{13}$`));
    }
    expect(second.migration_id).not.toBe(ended.migration_id);
    expect(await api('GET', '/_plugins/_aosc/_list?size=500')).toMatchObject({
      body: {
        migrations: expect.arrayContaining([
          expect.objectContaining({ migration_id: ended.migration_id }),
          expect.objectContaining({ migration_id: second.migration_id }),
        ]) as unknown,
      },
    });
  },
  'decided/terminal-in-history': ({ samples }) => {
    for (const { ended } of [samples.completed, samples.cancelled, samples.failed]) {
      expect(ended.transition_history?.at(-1)).toMatchObject({ phase: ended.phase });
    }
  },
  'decided/cutover-context-of-failure': ({ samples }) => {
    const { refused, difference } = samples.counts;
    expect(refused.cutover_context).toMatchObject({
      source_doc_count: difference,
      target_doc_count: 0,
      doc_count_tolerance: difference - 1,
      doc_count_validation_passed: false,
      alias_swap_succeeded: false,
    });
    expect(refused.cutover_context).not.toHaveProperty('cutover_end_millis');
    expect(samples.failed.ended).not.toHaveProperty('cutover_context');
  },
  'decided/counters-filled': ({ samples }) => {
    const { backfill, convergence } = shardOf(samples.completed.ended, 0);
    expect(backfill).toHaveProperty('bulk_retries', expect.any(Number));
    expect(convergence).toHaveProperty('bulk_retries', expect.any(Number));
    expect(convergence?.deletes_applied).toBeGreaterThan(0);
    expect(shardOf(samples.failed.ended, 0).backfill?.status).toBe('FAILED');
  },
  'decided/gap-before-limit': ({ samples }) => {
    // One round at the most, and it has been made and was not empty.
    expect(samples.merged.ended).toMatchObject({
      phase: 'COMPLETED',
      options: { max_convergence_rounds_per_shard: 1 },
    });
  },
  'decided/settings-back': ({ samples }) => {
    expect(samples.completed.targetSettingsAfter).toMatchObject({
      'index.number_of_replicas': '0',
      'index.refresh_interval': '7s',
    });
    for (const name of ['index.gc_deletes', 'index.final_pipeline']) {
      expect(samples.completed.targetSettingsAfter).not.toHaveProperty([name]);
      expect(samples.failed.targetSettingsAfter).not.toHaveProperty([name]);
    }
  },
  'decided/abort-leaves-source': ({ samples }) => {
    const { refused, refusedSource, refusedAliases } = samples.counts;
    expect(refusedSource['index.blocks.write']).not.toBe('true');
    expect(Object.keys(refusedAliases as object)).toEqual([refused.source_index]);
  },
  'decided/pauses': async ({ api }) => {
    const name = 'aosc.replay.controller.overload.base_pause';
    for (const value of [2500, '2500', '2500ms', '3s']) {
      expect(await api('PUT', settings, { transient: { [name]: value } })).toMatchObject({ status: 200 });
    }
    await api('PUT', settings, { transient: { [name]: null } });
  },
  'decided/contradictions': async ({ api }) => {
    const pairs = [
      ['aosc.backfill.controller.concurrency', 9, 'aosc.backfill.controller.concurrency.max', 8],
      ['aosc.backfill.controller.batch.min_bytes', '3mb', 'aosc.backfill.controller.batch.max_bytes', '2mb'],
      ['aosc.replay.controller.overload.base_pause', 3000, 'aosc.replay.controller.overload.max_pause', 2000],
    ] as const;
    for (const [low, more, high, less] of pairs) {
      expect(await api('PUT', settings, { persistent: { [low]: more, [high]: less } })).toEqual(
        errorLike(400, illegal, `must be <= [${high}]`),
      );
    }
  },
};

/** What docs/reference/differences.md says beyond the above. */
const differenceRows: Rows = {
  'difference/cleanup-leases/truncated': async ({ api }) => {
    expect((await api('POST', '/_plugins/_aosc/_admin/_cleanup_leases')).body).toMatchObject({
      truncated: false,
    });
  },
  'difference/own-settings': async ({ api, cluster }) => {
    await expect(
      cluster('PUT', settings, { persistent: { 'aosc.backfill.read.page_size': 5 } }),
    ).rejects.toThrow('not recognized');
    expect(
      await api('PUT', settings, { persistent: { 'indices.recovery.max_bytes_per_sec': '1mb' } }),
    ).toEqual(errorLike(400, illegal, 'this service has only the aosc.* settings'));
  },
  'difference/service-paths': async ({ api }) => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
      expect((await api('GET', path)).status).toBe(200);
    }
    expect((await api('GET', '/openapi.json')).body).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./) as string,
    });
  },
  'difference/other-sites': async ({ environment }) => {
    const headers = { origin: 'http://elsewhere.example' };
    const { status, body } = await sendChecked(environment.apiUrl, pathOf('x', '_cancel'), {
      method: 'POST',
      headers,
    });
    expect({ status, body }).toEqual(errorLike(403, 'security_exception', 'pages of other sites'));
  },
  'difference/null-is-left-out': ({ samples }) =>
    expect(samples.options.nulls).toEqual(samples.completed.ended.options),
  'difference/unknown-parameter': async ({ api }) => {
    expect(await api('GET', '/_plugins/_aosc/_list?stauts=all')).toEqual(
      errorLike(400, illegal, 'unrecognized parameter: [stauts] -> did you mean [status]?'),
    );
  },
  'difference/unknown-setting': async ({ api }) => {
    expect(await api('PUT', settings, { persistent: { 'aosc.backfill.read.pagesize': 5 } })).toEqual(
      errorLike(400, illegal, 'did you mean [aosc.backfill.read.page_size]?'),
    );
  },
  'difference/wrong-method': async ({ environment }) => {
    const send = (method: string) => sendChecked(environment.apiUrl, pathOf('x', '_start'), { method });
    const wrong = await send('GET');
    expect(wrong.headers.get('allow')).toBe('POST');
    expect({ status: wrong.status, body: wrong.body }).toEqual(
      errorLike(405, 'method_not_allowed_exception', 'allowed: [POST]'),
    );
    expect((await send('OPTIONS')).status).toBe(200);
    const head = await sendChecked(environment.apiUrl, '/_plugins/_aosc/_list', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: undefined });
  },
  'difference/alias-name': async ({ api, samples }) => {
    const { source, target } = samples.cancelled;
    expect(await api('POST', pathOf(source, '_start'), { target_index: target, alias: 'a,b' })).toEqual(
      errorLike(400, state, 'alias [a,b] is not a valid name'),
    );
  },
  'difference/transient-settings-refused': async ({ api }) => {
    const refused = {
      'index.blocks.write': true,
      'index.final_pipeline': 'p',
      'index.gc_deletes': '1m',
      'index.translog.durability': 'async',
      'index.number_of_shards': 2,
    };
    for (const [name, value] of Object.entries(refused)) {
      const options = { transient_target_settings: { [name]: value } };
      expect(
        await api('POST', pathOf('c-nobody', '_start'), { target_index: 't', alias: 'a', options }),
      ).toEqual(errorLike(400, validation, `transient_target_settings must not set [${name}]`));
    }
  },
  'difference/bulk-api-is-exact': ({ samples }) => {
    const { ended, comparison } = samples.merged;
    expect(ended).toMatchObject({
      shard_routing_mode: 'BULK_API',
      delete_routing_strategy: 'TRANSLOG_ROUTING',
    });
    expect(comparison.mismatches.total).toBe(0);
    expect(comparison.judgedBySource).toBeGreaterThan(0);
  },
  'difference/etag': async ({ environment, samples }) => {
    const path = pathOf(samples.completed.source, '_status');
    const { headers } = await sendChecked(environment.apiUrl, path, {});
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    const again = await sendChecked(environment.apiUrl, path, { headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ status: 304, body: undefined });
  },
  'difference/counters-left-out': ({ samples }) => {
    const { backfill, replay } = shardOf(samples.completed.ended, 0);
    const left = [
      'operations_skipped',
      'documents_skipped',
      'start_seq_no',
      'target_seq_no',
      'last_processed_seq_no',
    ];
    for (const name of left) {
      expect(backfill).not.toHaveProperty([name]);
      expect(replay).not.toHaveProperty([name]);
    }
  },
  'difference/meta': ({ samples }) => {
    expect(samples.completed.pending).toHaveProperty('meta', {
      'write_block.applied': 'false',
      'alias.swapped': 'false',
      'target.original.index.gc_deletes': '',
      'target.original.index.number_of_replicas': '1',
      'target.original.index.refresh_interval': '7s',
    });
    expect(samples.completed.ended).toHaveProperty(['meta', 'write_block.applied'], 'true');
    expect(samples.completed.ended).toHaveProperty(['meta', 'alias.swapped'], 'true');
  },
  'difference/block-removed': ({ samples }) => {
    expect(samples.merged.sourceSettingsAfter).not.toHaveProperty(['index.blocks.write']);
  },
};

export const decidedRows: Rows = { ...statusRows, ...startRows, ...shownRows, ...differenceRows };
