import { type ReactNode, useEffect, useId, useRef } from 'react';

/** The browser's own dialog: it keeps the focus inside, and Escape closes it. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    if (isOpen && !current.open) current.showModal();
    if (!isOpen && current.open) current.close();
  }, [isOpen]);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {isOpen && children}
    </dialog>
  );
}
