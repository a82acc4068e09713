import { AoscError, type Operation, operations, ownValue, shorten } from '@aosc/contract';
import type { Express, Request, Response } from 'express';
import { bodyOf } from './body';
import { readQuery } from './query';
import { notesOf } from '../auth/request-notes';

/** A request as its handler sees it. */
export type Asked = ReturnType<typeof askedOf>;

/** @returns the JSON to answer with; undefined: the handler has answered by itself */
export type Handler = (asked: Asked) => object | undefined | Promise<object | undefined>;

/** By the operation ids of the contract. */
export type Handlers = Readonly<Record<string, Handler>>;

/** Gives endpoints of the contract's table their handlers. The order of the table decides between two that match. */
export function mount(app: Express, handlers: Handlers): void {
  for (const operation of operations) {
    const handler = ownValue(handlers, operation.operationId);
    if (handler === undefined) continue;
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
    app[operation.method](path, async (request, response) => {
      const answer = await handler(askedOf(request, response, operation));
      if (answer !== undefined) response.json(answer);
    });
  }
}

/** No index has a longer name (`MetadataCreateIndexService` of OpenSearch). */
const maxNameBytes = 255;

/** @throws AoscError illegal_argument: the query is wrong, or no index can have the name */
function askedOf(request: Request, response: Response, operation: Operation) {
  const part = (name: string): string => String(ownValue(request.params, name));
  const bytes = Buffer.byteLength(String(ownValue(request.params, 'index') ?? ''));
  if (bytes > maxNameBytes) {
    throw new AoscError(
      'illegal_argument',
      `index name is too long, (${bytes} > ${maxNameBytes}): [${shorten(part('index'), 64)}]`,
    );
  }
  return {
    request,
    response,
    // A probe or a scraper may add what it likes.
    query: readQuery(operation.path.startsWith('/_') ? request.originalUrl : '', operation),
    /** parsed, of any shape; undefined: there was none */
    body: bodyOf(request),
    principal: notesOf(request).principal,
    /** A part of the path by the name that the endpoint gives it, decoded. */
    part,
    /** Adds fields to the audit line: first what was asked for, so that a refusal has it too, then what was done. */
    note: (fields: object): void => void Object.assign(notesOf(request).audit, fields),
    /** Fires when the connection closes before the answer. */
    gone: (): AbortSignal => {
      const controller = new AbortController();
      const close = (): void => {
        if (!response.writableFinished) controller.abort(new Error('the client has gone'));
      };
      // It may have closed before the handler got the request.
      if (response.closed) close();
      else response.once('close', close);
      return controller.signal;
    },
  };
}
