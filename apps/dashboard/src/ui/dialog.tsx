import { type ReactNode, useEffect, useId, useRef } from 'react';

/** The browser's own dialog: it keeps the focus inside, and Escape closes it. */
export function Dialog({
  title,
  isOpen,
  onClose,
  isCurtain = false,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose?: () => void;
  /** Hides what is behind it, and Escape does not close it. */
  readonly isCurtain?: boolean;
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
    <dialog
      ref={element}
      className={isCurtain ? 'curtain' : undefined}
      aria-labelledby={id}
      onClose={() => {
        // Preventing `cancel` is not enough: browsers still let the user close the dialog.
        if (isCurtain) element.current?.showModal();
        else onClose?.();
      }}
    >
      <h2 id={id}>{title}</h2>
      {isOpen && children}
    </dialog>
  );
}
