import type { MigrationPhase, MigrationStatus, ShardPhase } from '@aosc/client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { messageOf } from '../api/client';
import { adviceFor } from '../explain/advice';
import { toneOfPhase, toneOfShard, type Tone, wordFor } from '../explain/phase-names';
import { DocLink } from './doc-link';
import { Icon, type IconName } from './icon';
import { formatPercent } from '../format/numbers';
import { formatExactMoment, formatMoment } from '../format/times';

export function PhaseBadge({
  phase,
  tone,
  rehearsal,
}: {
  readonly phase: MigrationPhase;
  readonly tone?: Tone | undefined;
  readonly rehearsal?: MigrationStatus['rehearsal'];
}) {
  const { outcome } = rehearsal ?? {};
  const ofPhase = outcome === undefined ? toneOfPhase[phase] : outcome === 'exact' ? 'good' : 'bad';
  return (
    <span className={`badge tone-${tone ?? ofPhase}`} title={phase}>
      {outcome === undefined ? wordFor(phase) : 'Rehearsed'}
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

/** A moment in the reader's zone; {@link MomentTip} shows the exact one on hover and focus. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time dateTime={formatExactMoment(at)} tabIndex={0}>
      {formatMoment(at)}
    </time>
  );
}

/** @param percent undefined: nothing is known */
export function Bar({ percent, label }: { readonly percent: number | undefined; readonly label: string }) {
  return (
    <div
      className="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent === undefined ? { 'aria-valuetext': 'unknown' } : { 'aria-valuenow': percent })}
    >
      <div className="bar-way">
        <div className="bar-done" style={{ width: `${percent ?? 0}%` }} />
      </div>
      <span>{formatPercent(percent)}</span>
    </div>
  );
}

const noteIcons: Readonly<Record<'bad' | 'wait' | 'good' | 'plain', IconName>> = {
  bad: 'alert',
  wait: 'clock',
  good: 'check',
  plain: 'info',
};

/** Something that the reader should see. */
export function Note({
  kind,
  title,
  role,
  children,
}: {
  readonly kind: keyof typeof noteIcons;
  readonly title?: ReactNode;
  readonly role?: 'alert' | 'status';
  readonly children?: ReactNode;
}) {
  return (
    <div className={`note note-${kind}`} role={role}>
      <Icon name={noteIcons[kind]} />
      {title !== undefined && <p className="note-title">{title}</p>}
      {children}
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
    <Note kind="bad" title={title} role="alert">
      <ErrorText text={messageOf(error)} />
    </Note>
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

/** A text to copy. Where copying fails, the text is selected. */
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
          className="button-bare"
          onClick={() => {
            copy(text).then(
              () => setCopied(true),
              // Now the reader can press Ctrl-C.
              () => shown.current && getSelection()?.selectAllChildren(shown.current),
            );
          }}
        >
          <Icon name={isCopied ? 'check' : 'copy'} size={16} /> {isCopied ? 'Copied' : 'Copy'}
        </button>
      </figcaption>
      <pre ref={shown} tabIndex={0}>
        {text}
      </pre>
    </figure>
  );
}

/** Folds away what few readers need. */
export function Fold({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <details className="fold">
      <summary>
        <Icon name="right" size={16} /> {title} {note !== undefined && <span className="quiet">{note}</span>}
      </summary>
      <div className="stack">{children}</div>
    </details>
  );
}

/** A button that says why it can't be pressed, to screen readers too. */
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
        onClick={({ detail }) => {
          // The second click of a double click is meant for what the button was before.
          if (!isOff && detail < 2) onPress();
        }}
      >
        {isBusy ? 'Working…' : children}
      </button>
      {why !== undefined && <span className="why">{why}</span>}
    </span>
  );
}
