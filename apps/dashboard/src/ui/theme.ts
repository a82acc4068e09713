export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'aosc-theme';

/** A browser may forbid storage: the page works without it. */
export function readTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system';
  } catch {
    return 'system';
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // The choice then holds until the page is closed.
  }
}
