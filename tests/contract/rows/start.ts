import { errorLike } from '../../../apps/api/src/__tests__/error-like';
import type { Rows } from '../support/contract-run';
import { pathOf } from '../support/workshop';

const validation = 'action_request_validation_exception';
const illegal = 'illegal_argument_exception';
const state = 'illegal_state_exception';

export const startRows: Rows = {
  'start/target_index': async ({ api, samples }) => {
    const start = (target: object) => api('POST', pathOf('c-nobody', '_start'), { ...target, alias: 'a' });
    for (const target of [{}, { target_index: null }, { target_index: ' ' }]) {
      expect(await start(target)).toEqual(errorLike(400, validation, 'target.index is required'));
    }
    expect(await start({ target_index: 5 })).toEqual(
      errorLike(400, validation, 'target.index must be a string'),
    );
    expect(samples.completed.pending.target_index).toBe(samples.completed.target);
  },
  'start/alias': async ({ api, samples }) => {
    const start = (alias: object) =>
      api('POST', pathOf('c-nobody', '_start'), { ...alias, target_index: 't' });
    for (const alias of [{}, { alias: null }, { alias: '' }]) {
      expect(await start(alias)).toEqual(errorLike(400, validation, 'alias is required'));
    }
    expect(await start({ alias: ['a'] })).toEqual(errorLike(400, validation, 'alias must be a string'));
    expect(samples.completed.pending.alias).toBe(samples.completed.alias);
  },
  'start/transform_script': async ({ api, samples }) => {
    const body = { target_index: 't', alias: 'a', transform_script: 'ctx._source' };
    expect(await api('POST', pathOf('c-nobody', '_start'), body)).toEqual(
      errorLike(400, validation, 'transform_script must be an object'),
    );
    expect(samples.completed.pending).not.toHaveProperty('transform_script');
  },
  'start/options': async ({ api, samples }) => {
    const body = { target_index: 't', alias: 'a', options: [] };
    expect(await api('POST', pathOf('c-nobody', '_start'), body)).toEqual(
      errorLike(400, validation, 'options must be an object'),
    );
    // left out, and every one of them
    expect(samples.completed.started.status).toBe(200);
    expect(samples.options.max).toMatchObject({ convergence_threshold_per_shard: 1_000_000 });
  },
  'start/answer/migration_id': ({ samples }) => {
    const { started, ended } = samples.completed;
    expect(started.body).toMatchObject({ migration_id: ended.migration_id });
  },
  'start/answer/accepted': ({ samples }) => {
    const { started, ended } = samples.completed;
    expect(started).toEqual({ status: 200, body: { migration_id: ended.migration_id, accepted: true } });
  },
  'start/rule-1': async ({ api, samples, cluster }) => {
    const body = { target_index: 'c-not-there', alias: 'c-new' };
    expect(await api('POST', pathOf(samples.cancelled.source, '_start'), body)).toEqual(
      errorLike(400, illegal, 'target index [c-not-there] not found'),
    );
    await expect(cluster('GET', '/c-not-there')).rejects.toThrow('404');
  },
  'start/rule-2': ({ samples }) => {
    const bulk = samples.modes.filter(({ mode }) => mode === 'BULK_API');
    expect(bulk.length).toBeGreaterThan(3);
    for (const { plain, consenting } of bulk) {
      expect(plain).toEqual(errorLike(400, illegal, 'cannot safely preserve documents with custom routing'));
      expect(consenting?.status).toBe(200);
    }
  },
  'start/source': async ({ api, samples }) => {
    const body = { target_index: samples.cancelled.target, alias: 'c-new' };
    for (const source of ['c-not-there', samples.completed.alias, 'c-*', 'C-CAPITAL']) {
      expect(await api('POST', pathOf(source, '_start'), body)).toEqual(
        errorLike(400, illegal, `source index [${source}] not found`),
      );
    }
  },
  'start/same-index': async ({ api, samples }) => {
    const { source } = samples.cancelled;
    expect(await api('POST', pathOf(source, '_start'), { target_index: source, alias: 'a' })).toEqual(
      errorLike(400, validation, 'source index and target.index must be different'),
    );
  },
  'start/all-problems': async ({ api }) => {
    const body = { options: { doc_count_tolerance: -1 }, transform_script: { type: 'inline' } };
    expect(await api('POST', pathOf('c-nobody', '_start'), body)).toEqual(
      errorLike(
        400,
        validation,
        'Validation Failed: 1: doc_count_tolerance must be >= 0, got -1;2: target.index is required;' +
          '3: alias is required;',
      ),
    );
  },
  'start/writes-nothing': async ({ api, samples }) => {
    const { source, target } = samples.cancelled;
    const before = await api('GET', '/_plugins/_aosc/_list?size=500');
    const body = { target_index: target, alias: 'c-new', options: { convergence_threshold_per_shard: -1 } };
    expect((await api('POST', pathOf(source, '_start'), body)).status).toBe(400);
    expect(await api('GET', '/_plugins/_aosc/_list?size=500')).toEqual(before);
  },
  'start/target-empty': async ({ api, samples }) => {
    const { source, alias } = samples.cancelled;
    const { target } = samples.merged;
    expect(await api('POST', pathOf(source, '_start'), { target_index: target, alias })).toEqual(
      errorLike(400, illegal, 'cannot safely preserve documents'),
    );
    const options = { accept_data_loss_if_custom_routing_is_used: true };
    expect(await api('POST', pathOf(source, '_start'), { target_index: target, alias, options })).toEqual(
      errorLike(400, state, 'is not empty'),
    );
  },
};

/** Script fields that are judged before the script itself is looked at. */
const script = (transform_script: object) => ({ target_index: 't', alias: 'a', transform_script });

export const transformRows: Rows = {
  'transform/type': async ({ api }) => {
    const start = (parts: object) => api('POST', pathOf('c-nobody', '_start'), script(parts));
    expect(await start({ source: 'x' })).toEqual(
      errorLike(400, validation, 'transform_script.type is required: inline or stored'),
    );
    expect(await start({ type: 'file', source: 'x' })).toEqual(
      errorLike(400, validation, 'unknown transform_script type: file'),
    );
  },
  'transform/source': async ({ api }) => {
    for (const source of [undefined, null, ' ']) {
      expect(await api('POST', pathOf('c-nobody', '_start'), script({ type: 'inline', source }))).toEqual(
        errorLike(400, validation, 'transform_script.source is required for inline scripts'),
      );
    }
    expect(await api('POST', pathOf('c-nobody', '_start'), script({ type: 'inline', source: 5 }))).toEqual(
      errorLike(400, validation, 'transform_script.source must be a string'),
    );
  },
  'transform/id': async ({ api }) => {
    for (const id of [undefined, null, '']) {
      expect(await api('POST', pathOf('c-nobody', '_start'), script({ type: 'stored', id }))).toEqual(
        errorLike(400, validation, 'transform_script.id is required for stored scripts'),
      );
    }
  },
  'transform/params': async ({ api }) => {
    const body = script({ type: 'inline', source: 'identity', params: [1] });
    expect(await api('POST', pathOf('c-nobody', '_start'), body)).toEqual(
      errorLike(400, validation, 'transform_script.params must be an object'),
    );
  },
  'transform/script_context': async ({ api, samples }) => {
    const { source, target } = samples.cancelled;
    const start = (script_context: unknown) =>
      api('POST', pathOf(source, '_start'), {
        ...script({ type: 'inline', source: 'identity', script_context }),
        target_index: target,
      });
    expect(await start('search')).toEqual(
      errorLike(400, illegal, 'Unknown transform script_context [search]. Supported: [update]'),
    );
    expect(await start(5)).toEqual(
      errorLike(400, validation, 'transform_script.script_context must be a string'),
    );
  },
  'transform/unknown-field': async ({ api }) => {
    const body = script({ type: 'inline', source: 'identity', parms: {} });
    expect(await api('POST', pathOf('c-nobody', '_start'), body)).toEqual(
      errorLike(400, validation, 'unknown field [transform_script.parms] -> did you mean [params]?'),
    );
  },
  'transform/identity': ({ samples }) => {
    expect(samples.completed.ended).not.toHaveProperty('transform_script');
    expect(samples.merged.comparison.mismatches.total).toBe(0);
  },
};
