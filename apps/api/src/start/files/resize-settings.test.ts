import { resizeSettings } from './resize-settings';

const transient = { 'index.number_of_replicas': '0', 'index.refresh_interval': '-1' };
const source = {
  'index.uuid': 'u',
  'index.number_of_shards': '4',
  'index.number_of_routing_shards': '16',
  'index.number_of_replicas': '1',
  'index.codec': 'default',
  'index.resize.source.uuid': 'older',
  'index.routing.allocation.require._name': 'n',
};

function examine(wanted: Readonly<Record<string, unknown>>, transientTargetSettings = {}) {
  return resizeSettings(source, wanted, { transientTargetSettings });
}

test('what differs from the source is set, what the target is not to have is left out, the rest comes along', () => {
  const wanted = {
    'index.number_of_shards': '8',
    'index.number_of_routing_shards': '16',
    'index.number_of_replicas': '1',
    'index.codec': 'best_compression',
  };
  expect(examine(wanted)).toEqual({
    settings: {
      'index.blocks.write': null,
      'index.codec': 'best_compression',
      'index.number_of_replicas': '1',
      'index.routing.allocation.require._name': null,
    },
    originals: {},
  });
});

test('it is born with what holds while it is filled, and what it has in the end is remembered', () => {
  const { settings, originals } = examine({ ...source, 'index.number_of_replicas': 2 }, transient);
  expect(settings).toEqual({ 'index.blocks.write': null, ...transient });
  expect(originals).toEqual({ 'index.number_of_replicas': '2', 'index.refresh_interval': null });
});
