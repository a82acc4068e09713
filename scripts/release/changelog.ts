const unreleased = '## [Unreleased]';

export interface ReleasedChangelog {
  /** of the whole file */
  readonly text: string;
  /** what is new in this release, without its heading */
  readonly notes: string;
}

/**
 * Moves what is under Unreleased to the release, and leaves Unreleased empty.
 * @param date as in 2026-11-30
 * @throws Error when there is nothing to move, or the release is there already
 */
export function releaseChangelog(text: string, version: string, date: string): ReleasedChangelog {
  const lines = text.split('\n');
  const start = lines.indexOf(unreleased);
  if (start < 0) throw new Error(`CHANGELOG.md has no heading "${unreleased}"`);
  if (lines.some((line) => line.startsWith(`## [${version}]`))) {
    throw new Error(`CHANGELOG.md has a section for ${version} already`);
  }
  const next = lines.findIndex((line, at) => at > start && line.startsWith('## '));
  const end = next < 0 ? lines.length : next;
  const notes = lines
    .slice(start + 1, end)
    .join('\n')
    .trim();
  if (!/^- /m.test(notes)) throw new Error('CHANGELOG.md lists nothing under Unreleased');
  const before = lines.slice(0, start).join('\n');
  const after = lines.slice(end).join('\n');
  const parts = [
    before,
    unreleased,
    '',
    `## [${version}] - ${date}`,
    '',
    notes,
    ...(after === '' ? [] : ['', after]),
  ];
  return { text: `${parts.join('\n').trimEnd()}\n`, notes };
}
