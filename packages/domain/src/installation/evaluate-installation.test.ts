import {
  installationLeaseMs,
  type InstallationNames,
  type InstallationObservation,
  evaluateInstallation,
} from './evaluate-installation';

const ours: InstallationNames = { installationId: 'i', clusterUuid: 'c', redisId: 'r' };
const moved = { ...ours, redisId: 'elsewhere' };
const strangers: InstallationNames = { installationId: 'x', clusterUuid: 'd', redisId: 'q' };
const side = (names: InstallationNames | undefined, renewals = 0, unchangedMs = 0) => ({
  names,
  renewals,
  unchangedMs,
});
const dead = (names: InstallationNames) => side(names, 9, installationLeaseMs);
const observation = (parts: Partial<InstallationObservation>): InstallationObservation => ({
  clusterUuid: 'c',
  record: side(ours),
  mark: side(ours),
  mine: undefined,
  ...parts,
});

test.each<[string, Partial<InstallationObservation>, object]>([
  ['both sides agree', {}, { type: 'ours' }],
  [
    'both agree and no process has renewed for long',
    { record: dead(ours), mark: dead(ours) },
    { type: 'ours' },
  ],
  ['nothing is there', { record: side(undefined), mark: side(undefined) }, { type: 'create', as: undefined }],
  ['the records were deleted', { record: side(undefined) }, { type: 'create', as: ours }],
  [
    'the records were deleted, Redis is empty, and we have worked here',
    { record: side(undefined), mark: side(undefined), mine: ours },
    { type: 'create', as: ours },
  ],
  [
    "no record, another cluster's Redis",
    { record: side(undefined), mark: side(strangers) },
    { type: 'create', as: undefined },
  ],
  [
    'the cluster was restored elsewhere',
    { clusterUuid: 'restored', mine: ours },
    {
      type: 'refused',
      fault: 'cluster',
      reason: expect.stringMatching(
        /written in cluster \[c\].*delete its document \[installation\]/,
      ) as string,
    },
  ],
  ['Redis was emptied under us', { mark: side(undefined), mine: ours }, { type: 'mark' }],
  ['Redis was set back to an older state under us', { mark: side(moved), mine: ours }, { type: 'mark' }],
  ['Redis is empty at our start', { mark: side(undefined) }, { type: 'wait', strangers: false }],
  [
    'Redis is empty at our start, and one renewal may have begun before we looked',
    { record: side(ours, 1), mark: side(undefined) },
    { type: 'wait', strangers: false },
  ],
  [
    'Redis is empty at our start, and others go on elsewhere',
    { record: side(ours, 2), mark: side(undefined) },
    {
      type: 'refused',
      fault: 'redis',
      reason: expect.stringContaining('give all processes the same one') as string,
    },
  ],
  [
    'Redis is empty at our start, and no other process lives',
    { record: dead(ours), mark: side(undefined) },
    { type: 'take_over', redisId: undefined },
  ],
  [
    'this Redis was left for another one, which lives',
    { record: side(moved, 2), mine: ours },
    { type: 'refused', fault: 'redis' },
  ],
  [
    'this Redis was left for another one, which is dead',
    { record: dead(moved), mine: ours },
    { type: 'take_over', redisId: 'r' },
  ],
  ['a stranger who may live', { mark: side(strangers), mine: ours }, { type: 'wait', strangers: true }],
  [
    'a stranger who lives',
    { mark: side(strangers, 1), mine: ours },
    {
      type: 'refused',
      fault: 'redis',
      reason: expect.stringMatching(/cluster \[d\].*AOSC_OPENSEARCH_URL names cluster \[c\]/) as string,
    },
  ],
  [
    'a stranger of the same cluster who lives',
    { mark: side({ ...ours, installationId: 'x' }, 1) },
    { reason: expect.stringContaining('in use by another installation') as string },
  ],
  ['a dead stranger, and we have worked here', { mark: dead(strangers), mine: ours }, { type: 'mark' }],
  [
    "a dead stranger's Redis at our start, and no process of ours lives",
    { mark: dead(strangers), record: dead(ours) },
    { type: 'take_over', redisId: undefined },
  ],
  [
    "a dead stranger's Redis at our start, and ours go on elsewhere",
    { mark: dead(strangers), record: side(ours, 2) },
    { type: 'refused', fault: 'redis' },
  ],
])('%s', (_, parts, verdict) => {
  expect(evaluateInstallation(observation(parts))).toMatchObject(verdict);
});
