import { AoscError, listSizes, type MigrationPhase, migrationPhases, shorten } from '@aosc/contract';
import { isTerminalPhase } from '@aosc/domain';

export interface ListRequest {
  /** undefined: all */
  readonly phases: readonly MigrationPhase[] | undefined;
  readonly size: number;
}

/** Reads `status` and `size` (contract details, 2.4). @throws AoscError illegal_argument */
export function readListRequest(query: {
  readonly status?: string | undefined;
  readonly size?: string | undefined;
}): ListRequest {
  return { phases: readPhases(query.status ?? 'all'), size: readSize(query.size) };
}

function readSize(text: string | undefined): number {
  if (text === undefined) return listSizes.default;
  if (!/^[+-]?\d{1,10}$/.test(text)) {
    throw new AoscError(
      'illegal_argument',
      `Failed to parse int parameter [size] with value [${shorten(text)}]`,
    );
  }
  const size = Number(text);
  if (size <= 0) throw new AoscError('illegal_argument', `size must be > 0, got: ${size}`);
  return Math.min(size, listSizes.max);
}

function readPhases(text: string): readonly MigrationPhase[] | undefined {
  if (text.trim() === '') throw new AoscError('illegal_argument', 'status must not be blank');
  const tokens = text.split(',').map((token) => token.trim());
  if (tokens.includes('')) {
    throw new AoscError('illegal_argument', `status contains an empty token: '${shorten(text)}'`);
  }
  if (tokens.length === 1 && tokens[0]?.toUpperCase() === 'ALL') return undefined;
  return [...new Set(tokens.flatMap(expand))];
}

/** ACTIVE stands for every phase that is not terminal. */
function expand(token: string): readonly MigrationPhase[] {
  const word = token.toUpperCase();
  if (word === 'ACTIVE') return migrationPhases.filter((phase) => !isTerminalPhase(phase));
  const phase = migrationPhases.find((name) => name === word);
  if (phase !== undefined) return [phase];
  throw new AoscError(
    'illegal_argument',
    `unknown status: '${shorten(token)}'. Expected one of: all, ACTIVE, [${migrationPhases.join(', ')}]`,
  );
}
