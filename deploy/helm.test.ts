import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from '@aosc/config';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { chart, readManifests, valueSets } from './__tests__/chart';
import {
  containerOf,
  type Deployment,
  filesOf,
  parseDeployment,
  parseManifest,
  secretItemsOf,
  selectorOf,
} from './__tests__/manifests';
import { findProgram, runProgram } from './__tests__/programs';

const helm = findProgram('helm', 'AOSC_HELM');
const kubeconform = findProgram('kubeconform', 'AOSC_KUBECONFORM');
const schemas = process.env['AOSC_KUBE_SCHEMAS'] ?? '';
const apps = ['api', 'scheduler', 'worker'] as const;
type App = (typeof apps)[number];

const describeWithHelm = helm === undefined ? describe.skip : describe;
const needed = (what: string, missing: string | undefined) =>
  missing === undefined ? what : `${what} (not run: ${missing})`;
const noHelm = helm === undefined ? 'there is no helm on PATH, and AOSC_HELM names none' : undefined;
const noConform =
  noHelm ??
  (kubeconform === undefined
    ? 'there is no kubeconform on PATH, and AOSC_KUBECONFORM names none'
    : undefined) ??
  (schemas === '' ? 'AOSC_KUBE_SCHEMAS names no folder of schemas' : undefined);

const run = (args: readonly string[]) => runProgram(helm ?? 'helm', args);

/** `helm template` as an operator would call it. */
const template = (set: string, more: readonly string[] = [], folder = chart) =>
  run([
    ...['template', 'live', folder, '--namespace', 'search', '--values', join(chart, 'ci', set)],
    // A helm that was built by hand takes the cluster for an old one.
    ...['--kube-version', '1.32.0', ...more],
  ]);

function render(set: string, more?: readonly string[], folder?: string): string {
  const { status, stdout, stderr } = template(set, more, folder);
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const manifestsOf = (text: string) => readManifests(text).map(parseManifest);
const kindsOf = (text: string, kind: string) =>
  manifestsOf(text).filter((manifest) => manifest.kind === kind);

function deploymentsOf(text: string): ReadonlyMap<App, Deployment> {
  const deployments = kindsOf(text, 'Deployment').map((manifest) => parseDeployment(manifest));
  return new Map(
    apps.map((app) => {
      const found = deployments.find((deployment) => containerOf(deployment).args[0] === app);
      if (found === undefined) throw new Error(`no Deployment runs ${app}`);
      return [app, found];
    }),
  );
}

/** What a process of the pod would read, with likely contents in place of the secrets. */
function environmentOf(deployment: Deployment): Record<string, string> {
  const contents: Record<string, string> = {
    AOSC_OPENSEARCH_URL: 'https://search.example.org',
    AOSC_OPENSEARCH_USERNAME: 'aosc',
    AOSC_REDIS_URL: 'rediss://redis.example.org',
    AOSC_REDIS_SENTINELS: 'rediss://s1.example.org,rediss://s2.example.org',
  };
  return Object.fromEntries(
    containerOf(deployment).env.map(({ name, value }): [string, string] => [
      name,
      (value ?? contents[name] ?? '').replace('$(POD_IP)', '10.0.0.7'),
    ]),
  );
}

describeWithHelm(needed('what Helm makes of the chart', noHelm), () => {
  describe.each(valueSets)('with ci/%s', (set) => {
    let text: string;
    beforeAll(() => (text = render(set)));

    test('the linter finds nothing', () => {
      const { status, stdout } = run(['lint', chart, '--strict', '--values', join(chart, 'ci', set)]);
      expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
    });

    test('each process takes its environment, and finds the files that it names', () => {
      for (const [app, deployment] of deploymentsOf(text)) {
        const environment = environmentOf(deployment);
        expect(() => parseEnv(environment, app)).not.toThrow();
        const paths = Object.entries(environment)
          .filter(([name, value]) => name.startsWith('AOSC_') && value.startsWith('/'))
          .map(([, value]) => value);
        expect(filesOf(deployment).toSorted()).toEqual(paths.toSorted());
      }
    });

    test('pods have no privileges, no token, and no variables of Services', () => {
      for (const deployment of deploymentsOf(text).values()) {
        const { spec } = deployment.spec.template;
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        });
      }
    });

    test('probes ask a port that the process listens on', () => {
      for (const [app, deployment] of deploymentsOf(text)) {
        const { ports, startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
        const environment = environmentOf(deployment);
        const [port] = ports;
        expect(String(port?.containerPort)).toBe(
          environment[app === 'api' ? 'AOSC_API_PORT' : 'AOSC_METRICS_PORT'],
        );
        const scheme = environment['AOSC_API_TLS_CERT'] === undefined ? 'HTTP' : 'HTTPS';
        const probe = (path: string) => ({ httpGet: { path, port: port?.name, scheme } });
        expect([startupProbe, livenessProbe]).toMatchObject([probe('/healthz'), probe('/healthz')]);
        expect(readinessProbe).toMatchObject(probe('/readyz'));
      }
    });

    test('every selector finds the pods of one process, or of all', () => {
      const pods = [...deploymentsOf(text).values()].map(({ spec }) => spec.template.metadata.labels);
      const selecting = manifestsOf(text).filter(({ kind }) =>
        ['Service', 'PodDisruptionBudget', 'NetworkPolicy', 'Deployment'].includes(kind),
      );
      for (const manifest of selecting) {
        const wanted = Object.entries(selectorOf(manifest));
        const found = pods.filter((labels) => wanted.every(([name, value]) => labels[name] === value));
        expect(wanted.length).toBeGreaterThan(1);
        expect([1, 3]).toContain(found.length);
      }
    });

    test('all is in the namespace of the release, and the Secret has what no other one has', () => {
      for (const { metadata } of manifestsOf(text)) expect(metadata.namespace).toBe('search');
      const keys = kindsOf(text, 'Secret').flatMap((secret) => Object.keys(parseSecret(secret).stringData));
      const own: Readonly<Record<string, readonly string[]>> = {
        'signed-for-aws.yaml': ['session.key'],
        'values-only.yaml': [
          'auth.json',
          'opensearch-password',
          'opensearch-url',
          'opensearch-username',
          'redis-url',
          'session.key',
        ],
      };
      expect(keys.toSorted()).toEqual(own[set] ?? []);
    });

    test('each key that a pod names is in the Secret that the chart makes', () => {
      const secrets = new Map(
        kindsOf(text, 'Secret').map((secret) => [secret.metadata.name, parseSecret(secret).stringData]),
      );
      for (const deployment of deploymentsOf(text).values()) {
        const references = [
          ...containerOf(deployment).env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []),
          ...secretItemsOf(deployment),
        ];
        const own = references.filter(({ name }) => secrets.has(name));
        expect(own.filter(({ name, key }) => secrets.get(name)?.[key] === undefined)).toEqual([]);
        if (set === 'values-only.yaml') expect(own.length).toBeGreaterThan(3);
      }
    });

    test('helm test asks the API by its Service', () => {
      const [pod] = kindsOf(text, 'Pod').map((one) => parseTestPod(one));
      expect(pod?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'test' });
      const address = pod?.spec.containers[0]?.env.find(({ name }) => name === 'ADDRESS')?.value ?? '';
      const services = kindsOf(text, 'Service').map(({ metadata }) => `${metadata.name}.search.svc`);
      expect(services).toContain(new URL(address).hostname);
      expect(new URL(address).pathname).toBe('/readyz');
    });
  });

  test('the pods get the time that their processes and the preStop need', () => {
    const grace = [...deploymentsOf(render('least.yaml'))].map(([app, { spec }]) => [
      app,
      spec.template.spec.terminationGracePeriodSeconds,
    ]);
    expect(grace).toEqual([
      ['api', 20],
      ['scheduler', 15],
      ['worker', 15],
    ]);
  });

  test.each([
    ['openSearch.url.secret=', 'openSearch.url is not set'],
    ['openSearch.url.value=http://a', 'openSearch.url.secret and openSearch.url.value are both set'],
    ['openSearch.login.username=a', 'set both or none'],
    ['redis.url.secret=', 'redis.url is not set'],
    ['api.auth.secret=', 'api.auth is not set: anybody who reaches the API could'],
    ['api.allowUnauthenticated=true', 'are both set'],
    ['api.allowUnauthenticated=on-any-address', 'allowUnauthenticated'],
    ['api.extraEnv[0].name=AOSC_API_HOST', 'extraEnv'],
    ['api.ingress.enabled=true', 'api.ingress.host is not set'],
    ['api.ingress.enabled=true,api.ingress.host=a.example.org', 'api.trustedProxies is not set'],
    ['worker.autoscaling.mode=keda', 'serverAddress is not set'],
    ['worker.autoscaling.minReplicas=11', 'minReplicas is greater than maxReplicas'],
    ['variables.AOSC_API_HOST=127.0.0.1', 'variables.AOSC_API_HOST: the chart has a value of its own'],
    ['api.replica=3', 'not allowed'],
    ['redis.cluster=maybe', 'cluster'],
    ['variables.AOSC_REDIS_SENTINELS=redis://s1', 'the chart has a value of its own'],
  ])('with %s it installs nothing, and says why', (setting, reason) => {
    const { status, stderr } = template('least.yaml', ['--set', setting]);
    expect(status).not.toBe(0);
    expect(stderr).toContain(reason);
  });

  test('sentinels and a cluster at once are refused', () => {
    const { status, stderr } = template('behind-sentinels.yaml', ['--set', 'redis.cluster=true']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('a Redis Cluster has no sentinels');
  });

  test('every process gets the sentinels from their Secret, and may reach them', () => {
    const text = render('behind-sentinels.yaml');
    for (const deployment of deploymentsOf(text).values()) {
      expect(containerOf(deployment).env).toEqual(
        expect.arrayContaining([
          {
            name: 'AOSC_REDIS_SENTINELS',
            valueFrom: { secretKeyRef: { name: 'redis', key: 'sentinels' } },
          },
          { name: 'AOSC_REDIS_CLUSTER', value: 'no' },
        ]),
      );
    }
    expect(portsToRedis(text)).toEqual([6380, 26379]);
  });

  test('every process knows of a cluster, and nobody of sentinels', () => {
    const text = render('redis-cluster.yaml');
    for (const deployment of deploymentsOf(text).values()) {
      const { env } = containerOf(deployment);
      expect(env).toContainEqual({ name: 'AOSC_REDIS_CLUSTER', value: 'yes' });
      expect(env.map(({ name }) => name)).not.toContain('AOSC_REDIS_SENTINELS');
    }
    expect(portsToRedis(text)).toEqual([6379]);
  });

  test('KEDA asks Prometheus, whichever way Redis is run', () => {
    const [scaled] = kindsOf(render('redis-cluster.yaml'), 'ScaledObject');
    expect(scaled).toMatchObject({ spec: { triggers: [{ type: 'prometheus' }, { type: 'prometheus' }] } });
  });

  test('KEDA scales by the depth of the queues, and nobody else sets the number of workers', () => {
    const text = render('everything.yaml');
    expect(deploymentsOf(text).get('worker')?.spec.replicas).toBeUndefined();
    const query = (work: string) =>
      `max(avg_over_time(aosc_shard_jobs_due{work="${work}",namespace="search",service="mover-scheduler"}[1m]))`;
    expect(kindsOf(text, 'ScaledObject')).toMatchObject([
      {
        spec: {
          scaleTargetRef: { name: 'mover-worker' },
          triggers: [
            { metadata: { query: query('backfill'), threshold: '4' } },
            { metadata: { query: query('replay'), threshold: '4' } },
          ],
        },
      },
    ]);
    expect(kindsOf(text, 'Service').map(({ metadata }) => metadata.name)).toContain('mover-scheduler');
    expect(kindsOf(text, 'HorizontalPodAutoscaler')).toEqual([]);
    expect(kindsOf(render('signed-for-aws.yaml'), 'HorizontalPodAutoscaler')).toHaveLength(1);
  });

  test('an API without credentials answers to its own names alone, the address of its pod among them', () => {
    const api = deploymentsOf(render('behind-a-guard.yaml')).get('api');
    const hosts = api && containerOf(api).env.find(({ name }) => name === 'AOSC_API_ALLOWED_HOSTS')?.value;
    expect(hosts).toBe(
      'live-aosc,live-aosc.search,live-aosc.search.svc,live-aosc.search.svc.cluster.local,$(POD_IP),aosc.internal',
    );
  });

  test('behind the ingress the API knows its proxies, and that browsers come by HTTPS', () => {
    const envOf = (text: string) => {
      const api = deploymentsOf(text).get('api');
      return api && environmentOf(api);
    };
    expect(envOf(render('everything.yaml'))).toMatchObject({
      AOSC_API_TRUSTED_PROXIES: '10.42.0.0/16',
      AOSC_API_PROXY_TLS: 'yes',
    });
    expect(envOf(render('least.yaml'))).not.toHaveProperty('AOSC_API_PROXY_TLS');
  });

  test('the alert rules become an object of the Prometheus operator, with links to the runbook', () => {
    const rules = readFileSync(join(chart, '../../monitoring/alerts.yml'), 'utf8');
    const specOf = (text: string) => kindsOf(text, 'PrometheusRule').map((made) => parseSpec(made).spec);
    const on = ['--set', 'prometheusRule.enabled=true'];
    const linkedTo = (page: string) => readManifests(rules.replaceAll('docs/operations/runbook.md', page));
    expect(rules).toContain('runbook_url: docs/operations/runbook.md#aosc');
    // Absolute, whatever is set: the API has the page.
    const page = 'docs/operations/runbook.html';
    expect(specOf(render('least.yaml', on))).toEqual(linkedTo(`http://live-aosc.search.svc:9650/${page}`));
    expect(specOf(render('behind-a-guard.yaml', on))).toEqual(linkedTo(`http://aosc.internal/${page}`));
    expect(specOf(render('everything.yaml'))).toEqual(linkedTo('https://docs.example.org/aosc/runbook.html'));
  });

  test('rules of the network are made only when they are asked for', () => {
    expect(kindsOf(render('least.yaml'), 'NetworkPolicy')).toEqual([]);
    expect(kindsOf(render('everything.yaml'), 'NetworkPolicy')).toHaveLength(3);
  });

  test('volumes, variables, containers and places of your own are in the pods that they are given for', () => {
    const own = (app: App) => JSON.stringify(deploymentsOf(render('everything.yaml')).get(app));
    for (const word of [
      'NODE_EXTRA_CA_CERTS',
      'company-ca',
      '/etc/company',
      'busybox',
      'topology.kubernetes.io/zone',
    ])
      expect(own('api')).toContain(word);
    expect(own('worker')).not.toContain('company');
    expect(own('worker')).toContain('kubernetes.io/hostname');
  });

  test("the service's own dashboards become a ConfigMap", () => {
    const [made] = kindsOf(render('least.yaml', ['--set', 'dashboards.enabled=true']), 'ConfigMap');
    const own = ['fleet.json', 'migration.json'].map((name) => [
      name,
      readFileSync(join(chart, '../../monitoring/dashboards', name), 'utf8'),
    ]);
    expect(made).toMatchObject({ data: Object.fromEntries(own) as object });
  });

  test('dashboards in the folder become a ConfigMap', () => {
    const folder = mkdtempSync(join(tmpdir(), 'aosc-chart-'));
    try {
      cpSync(chart, folder, { recursive: true });
      const on = ['--set', 'dashboards.enabled=true'];
      writeFileSync(join(folder, 'files/dashboards/overview.json'), '{"title":"{{ not a template }}"}');
      expect(kindsOf(render('least.yaml', on, folder), 'ConfigMap')).toMatchObject([
        {
          metadata: { labels: { grafana_dashboard: '1' } },
          data: { 'overview.json': '{"title":"{{ not a template }}"}' },
        },
      ]);
      expect(kindsOf(render('least.yaml', [], folder), 'ConfigMap')).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

const parseSecret = createParser(
  'secret',
  Type.Object({ stringData: Type.Record(Type.String(), Type.String()) }),
);

const parseTestPod = createParser(
  'pod of a test',
  Type.Object({
    metadata: Type.Object({ annotations: Type.Record(Type.String(), Type.String()) }),
    spec: Type.Object({
      containers: Type.Array(
        Type.Object({ env: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })) }),
      ),
    }),
  }),
);

const parseSpec = createParser('object with a spec', Type.Object({ spec: Type.Unknown() }));

const parseEgress = createParser(
  'network policy',
  Type.Object({
    spec: Type.Object({
      egress: Type.Array(
        Type.Object({ ports: Type.Array(Type.Object({ port: Type.Integer(), protocol: Type.String() })) }),
      ),
    }),
  }),
);

/** Name servers, OpenSearch and Redis have a rule each. */
function portsToRedis(text: string): readonly number[] {
  const [all] = kindsOf(text, 'NetworkPolicy');
  return parseEgress(all).spec.egress[2]?.ports.map(({ port }) => port) ?? [];
}

const parseVerdicts = createParser(
  'answer of kubeconform',
  Type.Object({ resources: Type.Array(Type.Object({ kind: Type.String(), status: Type.String() })) }),
);

(noConform === undefined ? describe : describe.skip)(needed('Kubernetes', noConform), () => {
  const validate = (text: string) => {
    const location = join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json');
    const args = [
      '-strict',
      '-ignore-missing-schemas',
      '-schema-location',
      location,
      '-output',
      'json',
      '-verbose',
    ];
    const { status, stdout } = runProgram(kubeconform ?? 'kubeconform', args, text);
    const { resources } = parseVerdicts(JSON.parse(stdout));
    const withStatus = (wanted: string) =>
      resources.filter((resource) => resource.status === wanted).map(({ kind }) => kind);
    return { status, stdout, valid: withStatus('statusValid'), skipped: withStatus('statusSkipped') };
  };

  test.each(valueSets)('takes what comes of ci/%s', (set) => {
    const { status, stdout, valid, skipped } = validate(render(set));
    expect([status, stdout]).toEqual([0, expect.any(String)]);
    expect(valid).toEqual(expect.arrayContaining(['Deployment', 'Service']));
    // They are defined by others, and checked where the folder has their schemas.
    const foreign = new Set(['ScaledObject', 'ServiceMonitor', 'PrometheusRule']);
    expect(skipped.filter((kind) => !foreign.has(kind))).toEqual([]);
  });

  test('would refuse a field that there is none of', () => {
    const text = render('least.yaml').replaceAll('readOnlyRootFilesystem', 'readOnlyRootFileSystem');
    expect(validate(text).status).not.toBe(0);
  });
});
