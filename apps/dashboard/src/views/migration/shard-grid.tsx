import type { ShardPhase, StatusDocument } from '@aosc/contract';
import { type KeyboardEvent, memo, useCallback, useMemo, useRef, useState } from 'react';
import { toneOfShard, wordFor } from '../../explain/phase-names';
import { formatPart } from '../../format/numbers';
import { ShardDetail } from './shard-detail';
import type { Shard } from './sum-shards';

/** Each shard as a cell; one is the whole row, and 500 still fit. Arrow keys go from cell to cell. */
export const ShardGrid = memo(function ShardGrid({
  index,
  shards,
}: {
  readonly index: string;
  readonly shards: StatusDocument['shards'];
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
            part={partOf(shard)}
            hasError={shard.error !== undefined}
            isSelected={name === selected}
            isReached={at === Math.min(focused, entries.length - 1)}
            at={at}
            onPress={press}
          />
        ))}
      </div>
      {shown !== undefined && (
        <ShardDetail index={index} name={shown[0]} shard={shown[1]} onClose={() => setSelected(undefined)} />
      )}
    </>
  );
});

interface CellProps {
  readonly name: string;
  readonly phase: ShardPhase;
  readonly part: number | undefined;
  readonly hasError: boolean;
  readonly isSelected: boolean;
  readonly isReached: boolean;
  readonly at: number;
  /** Always the same one: a cell that is not drawn again would keep the status that an older one was made with. */
  readonly onPress: (name: string, at: number) => void;
}

const Cell = memo(
  function Cell({ name, at, phase, part, hasError, isSelected, isReached, onPress }: CellProps) {
    const done = part === undefined ? '' : `, ${formatPart(part, 1)} copied`;
    return (
      <button
        type="button"
        className={`shard tone-${toneOfShard[phase]}`}
        aria-pressed={isSelected}
        tabIndex={isReached ? 0 : -1}
        aria-label={`Shard ${name}: ${wordFor(phase)}${done}${hasError ? ', with an error' : ''}`}
        title={`Shard ${name}: ${wordFor(phase)}${done}`}
        onClick={() => onPress(name, at)}
      >
        <span className="shard-done" style={{ height: `${Math.round((part ?? 0) * 100)}%` }} />
        <span className="shard-name">{name}</span>
      </button>
    );
  },
  // A part of a percent can't be seen.
  (a, b) =>
    a.phase === b.phase &&
    a.at === b.at &&
    a.isSelected === b.isSelected &&
    a.isReached === b.isReached &&
    a.hasError === b.hasError &&
    Math.round((a.part ?? -1) * 100) === Math.round((b.part ?? -1) * 100),
);

function Legend({ entries }: { readonly entries: readonly (readonly [string, Shard])[] }) {
  const counts = new Map<ShardPhase, number>();
  for (const [, { phase }] of entries) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  return (
    <ul className="legend">
      {[...counts].map(([phase, count]) => (
        <li key={phase}>
          <span className={`swatch tone-${toneOfShard[phase]}`} aria-hidden="true" /> {wordFor(phase)} {count}
        </li>
      ))}
    </ul>
  );
}

/** 0 to 1 of the first copy. */
function partOf({ phase, progress, backfill }: Shard): number | undefined {
  if (['CONVERGING', 'CONVERGED', 'CATCHING_UP', 'COMPLETING', 'COMPLETED'].includes(phase)) return 1;
  if (progress === undefined) return undefined;
  return progress.total_documents === 0
    ? 1
    : Math.min(1, (backfill?.documents_indexed ?? 0) / progress.total_documents);
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
