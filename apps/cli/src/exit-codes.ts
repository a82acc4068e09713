/** The exit codes of the command. Scripts rely on them: a number never gets another meaning. */
export const exitCodes = {
  done: { code: 0, meaning: 'Done, or nothing to do.' },
  failed: {
    code: 1,
    meaning: 'Something unexpected: a flaw of the command, or an answer that makes no sense.',
  },
  usage: { code: 2, meaning: 'The command line, the environment or the configuration file is wrong.' },
  refused: { code: 3, meaning: 'The API refused the request (4xx).' },
  missing: { code: 4, meaning: 'There is no such migration (404).' },
  away: { code: 5, meaning: 'The API could not be reached, or could not do its work, after some attempts.' },
  denied: {
    code: 6,
    meaning: 'The credentials are missing or wrong, or their role is not enough (401, 403).',
  },
  ended: {
    code: 7,
    meaning:
      'The migration ended in another phase than the one waited for, or `verify` or a rehearsal proved no equality.',
  },
  late: { code: 8, meaning: 'The wait timed out; the migration goes on.' },
  unhealthy: {
    code: 9,
    meaning:
      '`doctor` or `plan` found a problem, `leases` or `clear-state` left something, or a transient setting wins.',
  },
  interrupted: { code: 130, meaning: 'Ctrl-C. A migration that was watched goes on.' },
} as const;

export type ExitName = keyof typeof exitCodes;
