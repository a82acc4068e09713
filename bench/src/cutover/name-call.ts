/** What is told apart: whose index a name is. */
export interface Names {
  readonly source: string;
  readonly target: string;
  readonly alias: string;
}

const keyed = /[0-9a-f]{20}/g;
const records = '.aosc-migrations';

/**
 * A name for all requests of one kind: the method, and the path with roles for names.
 * @param path with its query string
 */
export function nameCall(method: string, path: string, { source, target }: Names): string {
  const [pathname = ''] = path.split('?');
  const parts = decodeURIComponent(pathname).split('/').slice(1);
  const roles = parts.map((part) => {
    if (part === source) return 'source';
    if (part === target) return 'target';
    if (part === `${source},${target}`) return 'source,target';
    if (part === records) return 'records';
    if (/^aosc-fence-/.test(part)) return 'fence';
    // The source is blocked through the alias that marks it.
    if (/^aosc-block-/.test(part)) return 'source';
    if (/^[msct]-[0-9a-f]{20}/.test(part)) return kindOfRecord[part[0] ?? ''] ?? part;
    return part.replaceAll(keyed, '…');
  });
  return `${method} ${roles.join('/')}`;
}

const kindOfRecord: Readonly<Record<string, string>> = {
  m: 'migration',
  s: 'shard',
  c: 'claim',
  t: 'timeline',
};

/** The phase that a write of a migration's record brings; undefined: it is another request. */
export function phaseIn(name: string, body: Buffer): string | undefined {
  if (name !== 'PUT records/_doc/migration') return undefined;
  return /"phase":"([A-Z_]+)"/.exec(body.toString('utf8'))?.[1];
}

/** Whether a request is the write block: by itself, or in the place of a hold. */
export function isBlock(name: string, body: Buffer): boolean {
  if (name === 'PUT source/_block/write') return true;
  return name === 'PUT source/_settings' && body.toString('utf8').includes('"index.blocks.write":true');
}

/** Whether a request is the swap: the alias that applications use comes to the target. */
export function isSwap(name: string, body: Buffer, { target, alias }: Names): boolean {
  if (name !== 'POST _aliases') return false;
  const text = body.toString('utf8');
  return text.includes(`"alias":"${alias}"`) && text.includes(`"index":"${target}"`);
}
