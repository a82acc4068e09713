import { AoscError, shorten } from '@aosc/contract';
import type { Router } from 'express';

/** Refuses paths of `router` with a longer `:index` before any lookup. */
export function refuseLongNames(router: Router): void {
  router.param('index', (_request, _response, next, index: string) => {
    refuseLongName(index);
    next();
  });
}

/** No index has a longer name (`MetadataCreateIndexService` of OpenSearch). */
const maxNameBytes = 255;

/** @throws AoscError illegal_argument, with a part of the name */
function refuseLongName(index: string): void {
  const bytes = Buffer.byteLength(index);
  if (bytes <= maxNameBytes) return;
  throw new AoscError(
    'illegal_argument',
    `index name is too long, (${bytes} > ${maxNameBytes}): [${shorten(index, 64)}]`,
  );
}
