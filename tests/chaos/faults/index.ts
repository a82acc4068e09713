import type { Fault } from '../fault';
import { clockFaults } from './clock';
import { clusterFaults } from './cluster';
import { networkFaults } from './network';
import { processFaults } from './processes';
import { redisFaults } from './redis';
import { returnFaults } from './returns';
import { somebodysFaults } from './somebody';

export const faults: readonly Fault[] = [
  ...processFaults,
  ...redisFaults,
  ...clusterFaults,
  ...returnFaults,
  ...networkFaults,
  ...somebodysFaults,
  ...clockFaults,
];
