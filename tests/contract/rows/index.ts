import type { Rows } from '../support/contract-run';
import { adminRows } from './admin';
import { decidedRows } from './decided';
import { listRows } from './list';
import { optionRows } from './options';
import { permitRows } from './permits';
import { phaseRows } from './phases';
import { recordAndShardRows } from './record';
import { routingRows } from './routing';
import { errorRows, serviceRows } from './service';
import { settingsRows } from './settings';
import { startRows, transformRows } from './start';
import { statusAndCancelRows } from './status-and-cancel';

const subjects: readonly Rows[] = [
  serviceRows,
  routingRows,
  recordAndShardRows,
  optionRows,
  transformRows,
  phaseRows,
  startRows,
  statusAndCancelRows,
  listRows,
  adminRows,
  errorRows,
  settingsRows,
  decidedRows,
  permitRows,
];

/** Every row by its id. @throws when two have the same */
export const allRows: Rows = subjects.reduce<Rows>((rows, more) => {
  const twice = Object.keys(more).find((id) => Object.hasOwn(rows, id));
  if (twice !== undefined) throw new Error(`two rows have the id ${twice}`);
  return { ...rows, ...more };
}, {});
