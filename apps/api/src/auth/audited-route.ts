import type { AuditedAction } from '@aosc/contract';
import type { Request, RequestHandler, Response } from 'express';
import { noteForAudit } from './request-notes';

/** A hash of a text that may hold data: everybody who has the text can make the same. */
type Hash = `sha256$${string}`;
type Plain = string | number | boolean | undefined;

/** What a start or a preview asks for, whether it is accepted or not. */
export interface StartNotes {
  readonly targetIndex?: Plain;
  readonly alias?: Plain;
  readonly scriptType?: Plain;
  readonly scriptId?: Plain;
  readonly scriptHash?: Hash | undefined;
  readonly scriptParamsHash?: Hash | undefined;
  readonly queryHash?: Hash | undefined;
  readonly options?: Readonly<Record<string, Plain>> | undefined;
}

/** Settings by full name, in each scope. */
interface Scoped<T> {
  readonly persistent: T;
  readonly transient: T;
}

/**
 * What the audit line of each action says beside who, when, from where and with what outcome: what was asked for, in a
 * refusal as well, and what was done. An action that is not here can have no route.
 */
export interface AuditNotes {
  readonly sign_in: { readonly asked: object; readonly done: { readonly sessionUntilMillis: number } };
  readonly sign_out: { readonly asked: object; readonly done: { readonly wasSignedIn: boolean } };
  readonly start: {
    readonly asked: StartNotes & { readonly dryRun: boolean };
    /** null: a dry run */
    readonly done: { readonly migration: string | null };
  };
  readonly preview_transform: { readonly asked: StartNotes; readonly done: { readonly documents: number } };
  readonly create_target: {
    readonly asked: {
      readonly dryRun: boolean;
      readonly targetIndex?: Plain;
      readonly shardCount?: Plain;
      readonly editsHash?: Hash | undefined;
    };
    readonly done: { readonly created: boolean };
  };
  readonly cancel: {
    readonly asked: object;
    readonly done: { readonly migration: string; readonly phase: string };
  };
  readonly cutover: {
    readonly asked: { readonly order: string };
    readonly done: { readonly migration: string; readonly phase: string };
  };
  readonly change_settings: {
    readonly asked: Scoped<readonly string[]>;
    readonly done: {
      readonly applied: Scoped<Readonly<Record<string, string>>>;
      readonly reset: Scoped<readonly string[]>;
    };
  };
  readonly cleanup_leases: {
    readonly asked: {
      readonly dryRun: boolean;
      /** null: every index */
      readonly index: string | null;
      readonly includeActive: boolean;
    };
    readonly done: {
      readonly found: number;
      readonly released: number;
      readonly failed: number;
      readonly leases: readonly string[];
    };
  };
  readonly clear_state: {
    readonly asked: {
      readonly dryRun: boolean;
      readonly tryClose: boolean;
      readonly undo: boolean;
      /** null: every migration */
      readonly migration: string | null;
    };
    readonly done: {
      readonly found: number;
      readonly cleared: readonly string[];
      readonly failed: readonly string[];
    };
  };
}

interface AuditedRoute<A extends AuditedAction, R> {
  /** reads the request. @throws AoscError */
  readonly read: (request: Request) => R;
  readonly asked: (wanted: R) => AuditNotes[A]['asked'];
  readonly run: (
    wanted: R,
    request: Request,
    response: Response,
  ) => Promise<{ readonly answer: object; readonly done: AuditNotes[A]['done'] }>;
}

/** The handler of a route that the audit log records. @param _action gives the notes their types */
export function audited<A extends AuditedAction, R>(
  _action: A,
  { read, asked, run }: AuditedRoute<A, R>,
): RequestHandler {
  return async (request, response) => {
    const wanted = read(request);
    noteForAudit(request, asked(wanted));
    const { answer, done } = await run(wanted, request, response);
    noteForAudit(request, done);
    response.json(answer);
  };
}
