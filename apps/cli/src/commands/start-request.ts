import type { MigrationOptions, StartRequest } from '@aosc/client';
import { UsageError } from '../failure';
import type { Flags } from '../flags';
import { readEdits } from './create-target';
import { readWindow } from './cutover';
import { readObject, readPair, readParams, readText, withPrefixes } from './flag-values';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The body of a start from its flags. The API judges the values. @throws UsageError */
export function readStartRequest(flags: Flags, target: string): StartRequest {
  const alias = flags.text('alias');
  if (alias === undefined) throw new UsageError('--alias is missing: the alias that applications use');
  const options = readOptions(flags);
  const script = readScript(flags);
  const edits = readEdits(flags);
  const plan = flags.text('plan');
  return {
    target_index: target,
    alias,
    ...(plan !== undefined && { plan }),
    ...(script !== undefined && { transform_script: script }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(Object.keys(edits).length > 0 && { create_target: edits }),
  };
}

function readOptions(flags: Flags): MigrationOptions {
  const options: Writable<MigrationOptions> = {};
  const threshold = flags.number('convergenceThreshold');
  if (threshold !== undefined) options.convergence_threshold_per_shard = threshold;
  const rounds = flags.number('maxRounds');
  if (rounds !== undefined) options.max_convergence_rounds_per_shard = rounds;
  const tolerance = flags.number('docCountTolerance');
  if (tolerance !== undefined) options.doc_count_tolerance = tolerance;
  const readyMs = flags.number('targetReadyTimeout');
  if (readyMs !== undefined) options.target_ready_timeout_seconds = Math.ceil(readyMs / 1000);
  if (flags.isOn('acceptDataLoss')) options.accept_data_loss_if_custom_routing_is_used = true;
  if (flags.isOn('createAlias')) options.create_alias = true;
  if (flags.isOn('failOnMappingDrift')) options.fail_on_mapping_drift = true;
  if (flags.isOn('removeSourceWriteBlock')) options.remove_source_write_block_on_success = true;
  const copy = flags.text('copy');
  if (copy === 'documents' || copy === 'files' || copy === 'auto') options.copy = copy;
  if (!flags.isOn('mergeBeforeReplicas')) options.merge_before_replicas = false;
  const verify = flags.text('verify');
  if (verify === 'count' || verify === 'content') options.verify = verify;
  if (flags.isOn('rehearse')) options.rehearse = true;
  const onError = flags.text('onDocumentError');
  if (onError === 'fail' || onError === 'set_aside') options.on_document_error = onError;
  const most = flags.number('maxSetAside');
  if (most !== undefined) options.max_documents_set_aside = most;
  const query = flags.text('validationQuery');
  if (query !== undefined) options.validation_query = readObject('--validation-query', query);
  const cutover = flags.text('cutover');
  if (cutover === 'manual' || cutover === 'automatic') options.cutover = cutover;
  const earliest = flags.text('notBefore');
  if (earliest !== undefined) options.cutover_not_before = earliest;
  const windows = flags.list('window');
  if (windows.length > 0) options.cutover_windows = windows.map(readWindow);
  const pauseMs = flags.number('maxPause');
  if (pauseMs !== undefined) options.max_pause_ms = Math.ceil(pauseMs);
  const attempts = flags.number('maxCutoverAttempts');
  if (attempts !== undefined) options.max_cutover_attempts = attempts;
  const settings = flags.list('targetSetting');
  if (settings.length > 0)
    options.transient_target_settings = withPrefixes(Object.fromEntries(settings.map(readPair)));
  return options;
}

function readScript(flags: Flags): StartRequest['transform_script'] {
  const [inline, stored, params] = [
    flags.text('script'),
    flags.text('storedScript'),
    flags.text('scriptParams'),
  ];
  if (inline !== undefined && stored !== undefined) {
    throw new UsageError('--script and --stored-script: give one of them');
  }
  if (inline === undefined && stored === undefined) {
    if (params !== undefined) throw new UsageError('--script-params belong to --script or --stored-script');
    return undefined;
  }
  return {
    ...(inline === undefined
      ? { type: 'stored', id: stored ?? '' }
      : { type: 'inline', source: readText('--script', inline) }),
    ...(params !== undefined && { params: readParams('--script-params', params) }),
  };
}
