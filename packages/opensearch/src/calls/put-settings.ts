import { createParser } from '@aosc/contract';
import { type Call, ClusterError, type SettingValue } from '@aosc/engine';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { aliasPath, indexPath } from '../index-path';
import { AcknowledgedSchema } from './shapes';

const parse = createParser('answer of _settings', AcknowledgedSchema);

/**
 * `PUT {index}/_settings`; null sets a setting back to its default.
 * @param through an alias of the index
 * @throws ClusterError 'transient' when not every node has applied it in time: it is stored, put it again
 */
export async function putSettings(
  client: OpenSearchClient,
  index: string,
  settings: Readonly<Record<string, SettingValue>>,
  call: Call,
  through?: string,
): Promise<void> {
  const path = `/${through === undefined ? indexPath(index) : aliasPath(through)}/_settings`;
  const body = JSON.stringify(settings);
  const { acknowledged } = await requestJson(client, { method: 'PUT', path, body }, parse, call);
  if (!acknowledged) throw new ClusterError('transient', `PUT ${path}: not acknowledged by every node`);
}
