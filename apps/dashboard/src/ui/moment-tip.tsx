import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { formatAgo } from '../format/times';

/** Between a moment and its tip, and between the tip and the edge of the window; pixels. */
const gap = 4;

/**
 * The exact moment of the `<time>` that has the pointer or the focus. The whole page has one tip, so a list of a
 * hundred moments costs no more than their texts. Escape takes it away (WCAG 1.4.13).
 */
export function MomentTip() {
  const [target, setTarget] = useState<HTMLTimeElement>();
  const element = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const show = ({ target: over }: Event): void => {
      if (!(over instanceof Element)) return;
      // The pointer may go over to the tip itself, to read or to mark it.
      if (element.current?.contains(over) === true) return;
      const time = over.closest('time');
      setTarget(
        time ?? (document.activeElement instanceof HTMLTimeElement ? document.activeElement : undefined),
      );
    };
    document.addEventListener('pointerover', show, { signal });
    document.addEventListener('focusin', show, { signal });
    document.addEventListener('focusout', () => setTarget(undefined), { signal });
    document.addEventListener('scroll', () => setTarget(undefined), { signal, capture: true });
    document.addEventListener('keydown', ({ key }) => key === 'Escape' && setTarget(undefined), { signal });
    return () => listening.abort();
  }, []);
  useLayoutEffect(() => {
    if (target === undefined || element.current === null) return undefined;
    place(element.current, target);
    target.setAttribute('aria-describedby', id);
    return () => target.removeAttribute('aria-describedby');
  }, [target, id]);
  if (target === undefined) return undefined;
  const exact = target.dateTime;
  return (
    <div ref={element} id={id} role="tooltip" className="tip">
      {exact}, {formatAgo(Date.now() - Date.parse(exact))}
    </div>
  );
}

/** Above the moment where there is room, and always within the window. */
function place(tip: HTMLElement, target: HTMLElement): void {
  const [box, own] = [target.getBoundingClientRect(), tip.getBoundingClientRect()];
  const above = box.top - own.height - gap;
  const left = Math.min(box.left, document.documentElement.clientWidth - own.width - gap);
  tip.style.top = `${above < 0 ? box.bottom + gap : above}px`;
  tip.style.left = `${Math.max(gap, left)}px`;
}
