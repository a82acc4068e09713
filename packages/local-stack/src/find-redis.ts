import { resolve } from 'node:path';
import { findOnPath, isExecutable } from './find-on-path';
import { canEnter, type RunAs } from './run-as';

/** A program that serves as Redis, or why the chosen one can't; neither: there is none. */
export interface RedisFinding {
  readonly program?: string;
  readonly problem?: string;
}

const variable = 'AOSC_REDIS_SERVER';

/** The program that `AOSC_REDIS_SERVER` names, else `redis-server`, else `valkey-server` of the path. */
export function findRedis(env: NodeJS.ProcessEnv, runAs: RunAs | undefined): RedisFinding {
  const named = env[variable];
  if (!named) {
    const program = findOnPath('redis-server', env) ?? findOnPath('valkey-server', env);
    return program === undefined ? {} : { program };
  }
  const program = resolve(named);
  if (!isExecutable(program)) return { problem: `${variable} is ${program}: no program` };
  if (!canEnter(program, runAs)) {
    return {
      problem: `${variable} is ${program}: user ${runAs?.uid ?? ''}, whom the servers run as when root starts them, can't run it`,
    };
  }
  return { program };
}
