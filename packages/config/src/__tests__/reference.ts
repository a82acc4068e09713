import { variables, toolingVariables } from '../variables';

/** One row of `docs/configuration.md`, rendered from the table of variables; a test compares the page with it. */
export interface ReferenceRow {
  readonly name: string;
  readonly line: string;
}

/** @returns the rows of the page's tables: service variables first, then those of the local tooling */
export function renderReference(): readonly ReferenceRow[] {
  return [
    ...Object.values(variables).map(({ name, apps, fallback, type, description }) => ({
      name,
      line: `| \`${name}\` | ${fallback === '' ? 'none' : `\`${fallback}\``} | ${type.expects} | ${apps.join(', ')} | ${description} |`,
    })),
    ...toolingVariables.map(({ name, description }) => ({ name, line: `| \`${name}\` | ${description} |` })),
  ];
}
