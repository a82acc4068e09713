import { createParser } from '@aosc/contract';
import { type Static, Type } from '@sinclair/typebox';

const Labels = Type.Record(Type.String(), Type.String());
const Selector = Type.Object({ matchLabels: Labels });

const ManifestSchema = Type.Object({
  apiVersion: Type.String(),
  kind: Type.String(),
  metadata: Type.Object({ name: Type.String(), namespace: Type.String() }),
});
type Manifest = Static<typeof ManifestSchema>;
export const parseManifest = createParser('manifest', ManifestSchema);

const ProbeSchema = Type.Object({
  httpGet: Type.Object({ path: Type.String(), port: Type.String(), scheme: Type.String() }),
});

const DeploymentSchema = Type.Object({
  metadata: Type.Object({ name: Type.String() }),
  spec: Type.Object({
    replicas: Type.Optional(Type.Integer()),
    selector: Selector,
    template: Type.Object({
      metadata: Type.Object({ labels: Labels }),
      spec: Type.Object({
        terminationGracePeriodSeconds: Type.Integer(),
        securityContext: Type.Record(Type.String(), Type.Unknown()),
        containers: Type.Array(
          Type.Object({
            image: Type.String(),
            args: Type.Array(Type.String()),
            env: Type.Array(
              Type.Object({
                name: Type.String(),
                value: Type.Optional(Type.String()),
                valueFrom: Type.Optional(
                  Type.Object({
                    secretKeyRef: Type.Optional(Type.Object({ name: Type.String(), key: Type.String() })),
                  }),
                ),
              }),
            ),
            ports: Type.Array(Type.Object({ name: Type.String(), containerPort: Type.Integer() })),
            resources: Type.Object({ requests: Labels, limits: Labels }),
            startupProbe: ProbeSchema,
            livenessProbe: ProbeSchema,
            readinessProbe: ProbeSchema,
            volumeMounts: Type.Array(Type.Object({ name: Type.String(), mountPath: Type.String() })),
          }),
          { minItems: 1, maxItems: 1 },
        ),
        volumes: Type.Array(
          Type.Object({
            name: Type.String(),
            projected: Type.Optional(
              Type.Object({
                sources: Type.Array(
                  Type.Object({
                    secret: Type.Object({
                      name: Type.String(),
                      items: Type.Array(Type.Object({ key: Type.String(), path: Type.String() })),
                    }),
                  }),
                ),
              }),
            ),
          }),
        ),
      }),
    }),
  }),
});
export type Deployment = Static<typeof DeploymentSchema>;
export const parseDeployment = createParser('deployment', DeploymentSchema);

/** Which pods an object of the chart is about. */
const SelectingSchema = Type.Object({
  spec: Type.Object({
    selector: Type.Optional(Type.Union([Selector, Labels])),
    podSelector: Type.Optional(Selector),
  }),
});
const parseSelecting = createParser('object with a selector', SelectingSchema);

/** @returns the labels that pods must have for a Service, a budget or a policy to be about them */
export function selectorOf(manifest: Manifest): Readonly<Record<string, string>> {
  const { selector, podSelector } = parseSelecting(manifest).spec;
  const found = podSelector ?? selector;
  if (found === undefined) throw new Error(`${manifest.kind} ${manifest.metadata.name} selects nothing`);
  return isNested(found) ? found.matchLabels : found;
}

const isNested = (
  selector: Static<typeof Selector> | Static<typeof Labels>,
): selector is Static<typeof Selector> => typeof selector['matchLabels'] === 'object';

/** The one container of a Deployment's pods. */
export function containerOf({ metadata, spec }: Deployment) {
  const [container] = spec.template.spec.containers;
  if (container === undefined) throw new Error(`${metadata.name} has no container`);
  return container;
}

/** Paths of all files that its pods see. */
export function filesOf(deployment: Deployment): readonly string[] {
  const { volumeMounts } = containerOf(deployment);
  return deployment.spec.template.spec.volumes.flatMap(({ name, projected }) => {
    const folder = volumeMounts.find((mount) => mount.name === name)?.mountPath ?? '';
    return (projected?.sources ?? []).flatMap(({ secret }) =>
      secret.items.map(({ path }) => `${folder}/${path}`),
    );
  });
}

/** The keys of Secrets that lie in its pods as files. */
export function secretItemsOf({
  spec,
}: Deployment): readonly { readonly name: string; readonly key: string }[] {
  return spec.template.spec.volumes.flatMap(({ projected }) =>
    (projected?.sources ?? []).flatMap(({ secret }) =>
      secret.items.map(({ key }) => ({ name: secret.name, key })),
    ),
  );
}
