import type { ServerResponse } from 'node:http';
import { AoscError, type Operation, operations, ownValue, shorten } from '@aosc/contract';
import type { Express, Request, Response } from 'express';
import { bodyOf } from './body';
import { type Query, readQuery } from './query';
import type { Principal } from '../auth/principal';
import { noteForAudit, notesOf } from '../auth/request-notes';

/** A signal that fires when the connection of a request closes before it was answered. */
function signalWhenGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has gone'));
  });
  return controller.signal;
}

/** A request as its handler sees it. */
export interface Asked {
  readonly request: Request;
  readonly response: Response;
  readonly query: Query;
  /** parsed, of any shape; undefined: there was none */
  readonly body: unknown;
  readonly principal: Principal | undefined;
  /** A part of the path by the name that the endpoint gives it, decoded. */
  readonly part: (name: string) => string;
  /** Adds fields to the audit line: first what was asked for, so that a refusal has it too, then what was done. */
  readonly note: (fields: object) => void;
  /** Fires when the connection closes before the answer. */
  readonly gone: () => AbortSignal;
}

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

/** @throws AoscError illegal_argument */
function askedOf(request: Request, response: Response, operation: Operation): Asked {
  const part = (name: string): string => String(ownValue(request.params, name));
  if (ownValue(request.params, 'index') !== undefined) refuseLongName(part('index'));
  return {
    request,
    response,
    // A probe or a scraper may add what it likes.
    query: readQuery(operation.path.startsWith('/_') ? request.originalUrl : '', operation),
    body: bodyOf(request),
    principal: notesOf(request).principal,
    part,
    note: (fields) => noteForAudit(request, fields),
    gone: () => signalWhenGone(response),
  };
}

/** No index has a longer name (`MetadataCreateIndexService` of OpenSearch). */
const maxNameBytes = 255;

/** Before any lookup. @throws AoscError illegal_argument, with a part of the name */
function refuseLongName(index: string): void {
  const bytes = Buffer.byteLength(index);
  if (bytes <= maxNameBytes) return;
  throw new AoscError(
    'illegal_argument',
    `index name is too long, (${bytes} > ${maxNameBytes}): [${shorten(index, 64)}]`,
  );
}
