import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../catalogue/sources';

/** One rule, as Prometheus reads it. */
interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

/** All alerts of `deploy/monitoring/alerts.yml`. */
export function readAlerts(): readonly Alert[] {
  const rules = parse(readFileSync(join(root, 'deploy/monitoring/alerts.yml'), 'utf8')) as Rules;
  return rules.groups.flatMap((group) => group.rules);
}
