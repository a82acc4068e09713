import type { MigrationStatus } from '@aosc/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../api/client';
import { hasEnded } from '../../explain/phase-names';
import { formatSi } from '../../format/numbers';
import { Plot } from '../../plots/plot';
import { addSample, joinSamples, type Sample, sampleOf } from './samples';

/** Samples since the page was opened, by migration. */
const seen = new Map<string, readonly Sample[]>();
const maxSeen = 20;

function remember(status: MigrationStatus): readonly Sample[] {
  const id = status.migration_id;
  // The status of a shard changes without the migration's own time.
  const samples = addSample(seen.get(id) ?? [], sampleOf(status, Date.now()));
  seen.delete(id);
  seen.set(id, samples);
  const [oldest] = seen.keys();
  if (seen.size > maxSeen && oldest !== undefined) seen.delete(oldest);
  return samples;
}

export default function Plots({ status }: { readonly status: MigrationStatus }) {
  const [own, setOwn] = useState<readonly Sample[]>(() => seen.get(status.migration_id) ?? []);
  const isOver = hasEnded(status.phase);
  const { data: timeline } = useQuery({
    queryKey: ['timeline', status.migration_id, isOver],
    queryFn: ({ signal }) => client.migrationTimeline(status.migration_id, { signal }),
    refetchInterval: isOver ? false : 30_000,
  });
  useEffect(() => {
    // After the end nothing changes: the kept curve is all there is.
    if (!isOver) setOwn(remember(status));
  }, [status, isOver]);
  const samples = joinSamples(timeline, own);
  const times = samples.map(({ atMillis }) => atMillis / 1000);
  const plot = (title: string, unit: string, valueOf: (sample: Sample) => number | undefined) => (
    <Plot
      title={title}
      times={times}
      values={samples.map((sample) => valueOf(sample) ?? null)}
      format={(value) => formatSi(value, unit)}
    />
  );
  return (
    <div className="plots">
      {plot('Documents', 'docs/s', (sample) => sample.documentsPerSecond)}
      {plot('Bytes', 'B/s', (sample) => sample.bytesPerSecond)}
      {plot('Gap', 'ops', (sample) => sample.gap)}
      {plot('Time of a bulk, mean', 'ms', (sample) => sample.bulkLatencyMs)}
      {plot('Size of bulks, all shards', 'B', (sample) => sample.batchBytes)}
      {plot('Bulks at once, all shards', '', (sample) => sample.concurrency)}
      {plot('Pauses so far', '', (sample) => sample.pauses)}
    </div>
  );
}
