import { format, type Logform } from 'winston';
import { scrubSecrets } from './scrub';

/** One JSON object per line: time, level, message, then the context and fields in the order they were given. */
export function jsonLines(): Logform.Format {
  return format.combine(scrubSecrets(), format.printf(toJsonLine));
}

function toJsonLine({ level, message, timestamp, ...rest }: Logform.TransformableInfo): string {
  return escapeUnseen(JSON.stringify({ timestamp, level, message, ...rest }));
}

/**
 * Characters that move the cursor, hide text or turn its direction: a name or a path may contain them, and a log must
 * not obey them.
 */
const unseen = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** As JSON escapes them, so that a line of JSON stays the same to its reader. */
function escapeUnseen(text: string): string {
  return text.replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}

/** For people at a terminal. */
export function readableLines(): Logform.Format {
  return format.combine(scrubSecrets(), format.printf(toReadableLine));
}

function toReadableLine(info: Logform.TransformableInfo): string {
  const { level, message, timestamp, app, migration, shard, phase, role, event, error, ...rest } = info;
  const where = [migration, shard === undefined ? undefined : `shard ${asText(shard)}`, phase]
    .filter((part) => part !== undefined)
    .map(asText);
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const fields = given.map(([key, value]) => `${key}=${asText(value)}`);
  return [
    asText(timestamp).slice(11, 23),
    level.toUpperCase().padEnd(5),
    `${asText(role ?? app)}${where.length === 0 ? '' : ` [${where.join(' ')}]`}`,
    asText(message),
    ...(event === undefined ? [] : [`(${asText(event)})`]),
    ...fields,
    ...(error === undefined ? [] : [`\n  ${describeError(error).join('\n  ')}`]),
  ].join(' ');
}

/** The chain of causes, and the stack of the first one. */
function describeError(error: unknown): string[] {
  if (error === null || typeof error !== 'object') return [asText(error)];
  const { name, message, stack, cause } = error as Record<string, unknown>;
  const first =
    typeof stack === 'string' ? stack.split('\n').map(asText) : [`${asText(name)}: ${asText(message)}`];
  return cause === undefined ? first : [...first, ...describeError(cause).map((line) => `caused by ${line}`)];
}

function asText(value: unknown): string {
  if (value === undefined) return '';
  return escapeUnseen(typeof value === 'string' ? value : JSON.stringify(value));
}
