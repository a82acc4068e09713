/** Shapes of 24 by 24, drawn with a line: they take the colour and the size of the text. */
const shapes = {
  list: 'M4 6h16M4 12h16M4 18h10',
  plus: 'M12 5v14M5 12h14',
  sliders: 'M4 7h9m5 0h2M4 17h2m5 0h9M13 4.5v5M6 14.5v5',
  tool: 'M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5L15 12l-3-3z',
  layers: 'm12 4 8 4-8 4-8-4zM4 12l8 4 8-4M4 16l8 4 8-4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4m11.2 11.2L19 19M19 5l-1.4 1.4M6.4 17.6 5 19',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z',
  screen: 'M4 5h16v11H4zM9 20h6m-3-4v4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6 6 18',
  alert: 'M12 4 2.8 19.5h18.4zM12 10v4.5m0 2.4v.1',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16Zm0 4v4.5l3 2',
  info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16Zm0 7v5m0-8v.1',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  down: 'm7 10 5 5 5-5',
  right: 'm10 7 5 5-5 5',
  arrow: 'M5 12h14m-5-5 5 5-5 5',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  report: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  leave: 'M10 4H5v16h5m5-4 4-4-4-4m4 4H9',
} as const;
export type IconName = keyof typeof shapes;

/** Hidden from screen readers: there is a text beside it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  );
}

/** The mark: an index becomes another one under the same name. */
export function Mark() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#12606b" />
      <path d="M9 9v14M23 9v14" stroke="#9fd6de" strokeWidth="3" strokeLinecap="round" />
      <path
        d="M12.5 16h6m-2.5-3 3 3-3 3"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
