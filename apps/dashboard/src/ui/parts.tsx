import type { MigrationPhase, ShardPhase } from '@aosc/contract';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { messageOf } from '../api/errors';
import { adviceFor } from '../explain/advice';
import { toneOfPhase, toneOfShard, type Tone, wordFor } from '../explain/phase-names';
import { DocLink } from './doc-link';
import { formatPart } from '../format/numbers';
import { formatExactMoment, formatMoment } from '../format/times';

export function PhaseBadge({
  phase,
  tone,
}: {
  readonly phase: MigrationPhase;
  readonly tone?: Tone | undefined;
}) {
  return (
    <span className={`badge tone-${tone ?? toneOfPhase[phase]}`} title={phase}>
      {wordFor(phase)}
    </span>
  );
}

export function ShardBadge({ phase }: { readonly phase: ShardPhase }) {
  return (
    <span className={`badge tone-${toneOfShard[phase]}`} title={phase}>
      {wordFor(phase)}
    </span>
  );
}

/** A moment in the reader's zone; the exact one on hover and focus, which {@link MomentTip} shows. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time dateTime={formatExactMoment(at)} tabIndex={0}>
      {formatMoment(at)}
    </time>
  );
}

/** @param part 0 to 1; undefined: nothing is known */
export function Bar({ part, label }: { readonly part: number | undefined; readonly label: string }) {
  const percent = part === undefined ? 0 : Math.floor(part * 1000) / 10;
  return (
    <div
      className="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(part === undefined ? { 'aria-valuetext': 'unknown' } : { 'aria-valuenow': percent })}
    >
      {percent > 0 && <div className="bar-done" style={{ width: `${percent}%` }} />}
      <span>{part === undefined ? '—' : formatPart(part, 1)}</span>
    </div>
  );
}

/** What went wrong, and what to do. */
export function ErrorNote({
  error,
  title = 'That did not work',
}: {
  readonly error: unknown;
  readonly title?: string;
}) {
  return (
    <div className="note note-bad" role="alert">
      <p className="note-title">{title}</p>
      <ErrorText text={messageOf(error)} />
    </div>
  );
}

export function ErrorText({ text }: { readonly text: string }) {
  const advice = adviceFor(text);
  return (
    <>
      <p className="said">{text}</p>
      <p>
        {advice.text} More: <DocLink page={advice.page} />.
      </p>
    </>
  );
}

/** Browsers give no clipboard to a page over plain HTTP from another machine. @throws when there is none */
async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

/** Something to copy; what can't be is marked. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  const shown = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <figure className="copyable">
      <figcaption>
        {label}
        <button
          type="button"
          onClick={() => {
            copy(text).then(
              () => setCopied(true),
              // The next key press of Ctrl-C does it.
              () => shown.current && getSelection()?.selectAllChildren(shown.current),
            );
          }}
        >
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </figcaption>
      <pre ref={shown} tabIndex={0}>
        {text}
      </pre>
    </figure>
  );
}

/** A button that says why it can't be pressed; a screen reader finds it all the same. */
export function ActionButton({
  children,
  why,
  kind = 'plain',
  isBusy = false,
  onPress,
}: {
  readonly children: ReactNode;
  /** why not; undefined: it can be pressed */
  readonly why?: string | undefined;
  readonly kind?: 'plain' | 'main' | 'danger';
  readonly isBusy?: boolean;
  readonly onPress: () => void;
}) {
  const isOff = why !== undefined || isBusy;
  return (
    <span className="action">
      <button
        type="button"
        className={`button-${kind}`}
        aria-disabled={isOff}
        onClick={() => {
          if (!isOff) onPress();
        }}
      >
        {isBusy ? 'Working…' : children}
      </button>
      {why !== undefined && <span className="why">{why}</span>}
    </span>
  );
}
