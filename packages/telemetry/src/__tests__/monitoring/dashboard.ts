import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../catalogue/sources';

interface DataSource {
  readonly type: string;
  readonly uid: string;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly datasource?: DataSource;
  readonly targets?: readonly { readonly expr: string; readonly datasource: DataSource }[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

/** What the tests look at of a dashboard of Grafana. */
interface Dashboard {
  readonly templating: {
    readonly list: readonly { readonly type: string; readonly definition?: string }[];
  };
  readonly panels: readonly Panel[];
}

/** One of `deploy/monitoring/dashboards`. */
export function readDashboard(name: string): Dashboard {
  const path = join(root, 'deploy/monitoring/dashboards', `${name}.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as Dashboard;
}

/** Everything that a dashboard asks Prometheus for. */
export function expressionsOf({ panels, templating }: Dashboard): readonly string[] {
  const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const listed = templating.list.flatMap(({ definition }) => {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '') ?? [];
    return metric === undefined || label === undefined ? [] : [`${metric}{${label}=""}`];
  });
  return [...asked, ...listed];
}
