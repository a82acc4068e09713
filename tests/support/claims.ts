import type { HttpClient } from '@aosc/testkit';

/** Something that a page says of the cluster as it is now. */
export type Claim =
  | { readonly about: 'alias'; readonly name: string; readonly indices: readonly string[] }
  | { readonly about: 'writes'; readonly index: string; readonly areTaken: boolean }
  | { readonly about: 'documents'; readonly index: string; readonly count: number };

/** Every sentence and line of a page that speaks of where an alias is, of a write block, or of a number of documents now. */
export function readClaims(text: string): readonly Claim[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...lines.flatMap(inSentence), ...lines.flatMap((line, at) => inPlace(lines, line, at))];
}

/** What stands in a sentence names what it is of. */
function inSentence(line: string): readonly Claim[] {
  const found: Claim[] = [];
  for (const [, name = '', index = ''] of line.matchAll(
    /\balias (\S+) (?:is|stays) on (\S+?)[.,]?(?=\s|$)/g,
  )) {
    found.push({ about: 'alias', name, indices: [index] });
  }
  const words = line.split(/\s+/).map((word) => word.replace(/[.,]$/, ''));
  for (const [at, word] of words.entries()) {
    const areTaken = words[at + 1] === 'writes';
    if (word !== 'takes' || !(areTaken || (words[at + 1] === 'no' && words[at + 2] === 'writes'))) continue;
    const index = words.slice(0, at).findLast((each) => each !== 'which' && each !== 'still');
    // A figure with its documents stands below the name of its index.
    if (index !== undefined && index !== 'documents') found.push({ about: 'writes', index, areTaken });
  }
  return found;
}

/** A line below the name of an index or an alias: `7 searchable documents, takes no writes (…)`, or `on books-2`. */
function inPlace(lines: readonly string[], line: string, at: number): readonly Claim[] {
  const name = (lines[at - 1] ?? '').replace(/^(?:Alias|Source|Target) /, '');
  const [, indices] = /^on (.+)$/.exec(line) ?? [];
  if (indices !== undefined && indices !== 'no index') {
    return [{ about: 'alias', name, indices: indices.split(' and ') }];
  }
  const [, count, no] = /^([\d,]+) searchable documents?, takes (no )?writes/.exec(line) ?? [];
  if (count === undefined) return [];
  return [
    { about: 'documents', index: name, count: Number(count.replaceAll(',', '')) },
    { about: 'writes', index: name, areTaken: no === undefined },
  ];
}

/** Those that the cluster does not bear out, with what it says. */
export async function findFalseClaims(
  http: HttpClient,
  claims: readonly Claim[],
): Promise<readonly unknown[]> {
  const read = async (path: string): Promise<unknown> => {
    const { body } = await http.send({ method: 'GET', path });
    return JSON.parse(body.toString('utf8')) as unknown;
  };
  const wrong: unknown[] = [];
  for (const claim of claims) {
    if (claim.about === 'alias') {
      const holders = Object.keys((await read(`/_alias/${claim.name}`)) as object).sort();
      if (holders.join() !== [...claim.indices].sort().join()) wrong.push({ claim, holders });
    } else if (claim.about === 'writes') {
      const settings = JSON.stringify(await read(`/${claim.index}/_settings?flat_settings=true`));
      const isBlocked = settings.includes('"index.blocks.write":"true"');
      if (isBlocked === claim.areTaken) wrong.push({ claim, isBlocked });
    } else {
      await http.send({ method: 'POST', path: `/${claim.index}/_refresh` });
      const { count } = (await read(`/${claim.index}/_count`)) as { readonly count: number };
      if (count !== claim.count) wrong.push({ claim, count });
    }
  }
  return wrong;
}
