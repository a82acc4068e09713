import type { ShardPhase, MigrationStatus } from '@aosc/client';
import { type KeyboardEvent, memo, useCallback, useMemo, useRef, useState } from 'react';
import { toneOfShard, wordForShard } from '../../explain/phase-names';
import { ShardDetail } from './shard-detail';
import type { Shard } from './sum-shards';

/** Each shard as a cell: a single one fills the row, and 500 still fit. Arrow keys go from cell to cell. */
export const ShardGrid = memo(function ShardGrid({
  id,
  shards,
}: {
  /** of the migration */
  readonly id: string;
  readonly shards: MigrationStatus['shards'];
}) {
  const entries = useMemo(() => Object.entries(shards).sort(([a], [b]) => Number(a) - Number(b)), [shards]);
  const [selected, setSelected] = useState<string>();
  const [focused, setFocused] = useState(0);
  const grid = useRef<HTMLDivElement>(null);
  const shown = entries.find(([name]) => name === selected);
  const press = useCallback((name: string, at: number): void => {
    setFocused(at);
    setSelected((before) => (before === name ? undefined : name));
  }, []);
  const move = (event: KeyboardEvent): void => {
    const step = stepOf(event.key, columnsOf(grid.current));
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(entries.length - 1, Math.max(0, focused + step));
    setFocused(next);
    grid.current?.querySelectorAll<HTMLElement>('button')[next]?.focus();
  };
  return (
    <>
      <Legend entries={entries} />
      <div
        ref={grid}
        className={`shards ${entries.length > 64 ? 'shards-many' : ''}`}
        role="group"
        aria-label={`${entries.length} shards: arrow keys move, Enter shows one`}
        onKeyDown={move}
      >
        {entries.map(([name, shard], at) => (
          <Cell
            key={name}
            name={name}
            phase={shard.phase}
            percent={shard.progress?.copied_percent}
            hasError={shard.error !== undefined}
            isSelected={name === selected}
            isReached={at === Math.min(focused, entries.length - 1)}
            at={at}
            onPress={press}
          />
        ))}
      </div>
      {shown !== undefined && (
        <ShardDetail id={id} name={shown[0]} shard={shown[1]} onClose={() => setSelected(undefined)} />
      )}
    </>
  );
});

interface CellProps {
  readonly name: string;
  readonly phase: ShardPhase;
  readonly percent: number | undefined;
  readonly hasError: boolean;
  readonly isSelected: boolean;
  readonly isReached: boolean;
  readonly at: number;
  /** Must stay the same function: a cell that is not drawn again would keep the status of an older one. */
  readonly onPress: (name: string, at: number) => void;
}

const Cell = memo(
  function Cell({ name, at, phase, percent, hasError, isSelected, isReached, onPress }: CellProps) {
    const done = percent === undefined ? '' : `, ${percent} % copied`;
    return (
      <button
        type="button"
        className={`shard tone-${toneOfShard[phase]}`}
        aria-pressed={isSelected}
        tabIndex={isReached ? 0 : -1}
        aria-label={`Shard ${name}: ${wordForShard(phase)}${done}${hasError ? ', with an error' : ''}`}
        title={`Shard ${name}: ${wordForShard(phase)}${done}`}
        onClick={() => onPress(name, at)}
      >
        <span className="shard-done" style={{ height: `${percent ?? 0}%` }} />
        <span className="shard-name">{name}</span>
      </button>
    );
  },
  (a, b) =>
    a.phase === b.phase &&
    a.at === b.at &&
    a.isSelected === b.isSelected &&
    a.isReached === b.isReached &&
    a.hasError === b.hasError &&
    a.percent === b.percent,
);

function Legend({ entries }: { readonly entries: readonly (readonly [string, Shard])[] }) {
  const counts = new Map<ShardPhase, number>();
  for (const [, { phase }] of entries) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  return (
    <ul className="legend">
      {[...counts].map(([phase, count]) => (
        <li key={phase}>
          <span className={`swatch tone-${toneOfShard[phase]}`} aria-hidden="true" /> {wordForShard(phase)}{' '}
          <code>{phase}</code> {count}
        </li>
      ))}
    </ul>
  );
}

function stepOf(key: string, columns: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return 1;
    case 'ArrowLeft':
      return -1;
    case 'ArrowDown':
      return columns;
    case 'ArrowUp':
      return -columns;
    case 'Home':
      return -Infinity;
    case 'End':
      return Infinity;
    default:
      return undefined;
  }
}

function columnsOf(grid: HTMLElement | null): number {
  if (grid === null) return 1;
  return getComputedStyle(grid).gridTemplateColumns.split(' ').length;
}
