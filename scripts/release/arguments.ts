import { parseArgs } from 'node:util';
import { isVersion } from './versions';

export const usage = `usage: npm run release -- VERSION [--dry-run] [--checked]

Checks the project, sets VERSION everywhere, moves what the changelog has under Unreleased, builds what is given out
into dist/release/VERSION, and makes a commit and an annotated tag. It pushes and publishes nothing.

  --dry-run  says what it would do, and changes nothing
  --checked  lint and tests have passed on this very commit (CI), and are not run again`;

export interface ReleaseRequest {
  readonly version: string;
  readonly isDryRun: boolean;
  readonly isChecked: boolean;
}

/** What the user has asked for can't be done; the message says why. */
export class ReleaseRefused extends Error {
  override readonly name = 'ReleaseRefused';
}

/**
 * @returns undefined when the usage was asked for
 * @throws ReleaseRefused
 */
export function readArguments(args: readonly string[]): ReleaseRequest | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const [version, ...further] = positionals;
  if (version === undefined || further.length > 0) throw new ReleaseRefused(`Give one version.\n\n${usage}`);
  if (!isVersion(version)) {
    throw new ReleaseRefused(
      `${version} is no version: give three numbers, e.g. 1.2.3 or 1.2.3-rc.1, without a v`,
    );
  }
  return { version, isDryRun: values['dry-run'], isChecked: values.checked };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean', default: false },
        checked: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new ReleaseRefused(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}
