/** Of the page, each in light and in dark. */
interface Picture {
  readonly name: string;
  /** as the router of the page has it */
  readonly route: string;
}

export const pictures = [
  { name: 'fleet', route: '/' },
  { name: 'migration', route: '/migrations/:index' },
  { name: 'plots', route: '/migrations/:index' },
  { name: 'shard', route: '/migrations/:index' },
  { name: 'report', route: '/migrations/:index/:id/report' },
  { name: 'start', route: '/start' },
  { name: 'transform', route: '/start' },
  { name: 'settings', route: '/settings' },
  { name: 'state', route: '/state' },
  { name: 'sign-in', route: '/sign-in' },
] as const satisfies readonly Picture[];
/** Pages of the router without a picture: it looks like `migration`. */
export const withoutPicture = ['/migrations/:index/:id'] as const;
export type PictureName = (typeof pictures)[number]['name'];

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Larger ones make a clone slow. */
export const maxPictureBytes = 150_000;

export const fileOf = (name: PictureName, theme: Theme): string => `${name}-${theme}.png`;
