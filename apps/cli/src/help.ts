import { exitCodes } from './exit-codes';

/** Stands below the help of the program. */
export const cleanupHelp = `
Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
  .join('\n')}

docs/reference/command-line.md has contexts, credentials and variables.`;

export const examples = {
  createTarget: `
Examples:
  aosc create-target cities-v1 cities-v2 --shards 4 --dry-run
  aosc create-target a b --settings '{"index.number_of_replicas": 0}' --mappings @changes.json`,
  plan: `
Examples:
  aosc plan cities-v1 cities-v2 --alias cities
  aosc plan a b --alias c --script @transform.painless -o wide`,
  start: `
Examples:
  aosc start cities-v1 cities-v2 --alias cities --watch
  aosc start a b --alias c --target-setting number_of_replicas=0 --dry-run
  aosc start a b --alias c --script @transform.painless --script-params '{"field": "name"}'`,
} as const;
