import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';

const root = join(import.meta.dirname, '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: files of others' formats, looked at member by member
type Loose = any;

describe('the Helm chart', () => {
  const objectsOf = (file: string) =>
    parseAllDocuments(textOf(`deploy/helm/${file}`)).map((each) => each.toJS() as Loose);
  const rendered = objectsOf('rendered.yaml');
  const plain = objectsOf('rendered-plain.yaml');
  const ofKind = (kind: string) => rendered.filter((each) => each.kind === kind);

  it('has an up-to-date rendering', () => {
    const files = globSync('deploy/helm/inspection-exchange/**/*', { cwd: root }).filter((file) =>
      statSync(join(root, file)).isFile(),
    );
    const names = files.sort((a, b) => (a < b ? -1 : 1));
    const sum = names
      .reduce((hash, file) => hash.update(readFileSync(join(root, file))), createHash('sha256'))
      .digest('hex');
    for (const file of ['rendered.yaml', 'rendered-plain.yaml']) {
      expect(textOf(`deploy/helm/${file}`).split('\n')[0]).toBe(
        `# Of the chart with the SHA-256 ${sum}; deploy/helm/render.sh writes it anew.`,
      );
    }
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    expect(parse(textOf('deploy/helm/inspection-exchange/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('renders what the Kubernetes schemas allow, of every promised kind', async () => {
    expect(rendered.map(({ kind }) => kind).sort()).toEqual(
      ['ConfigMap', 'ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job', 'Job', 'NetworkPolicy']
        .concat(['PodDisruptionBudget', 'Secret', 'Service', 'Service', 'ServiceAccount', 'ServiceMonitor'])
        .sort(),
    );
    for (const object of rendered) {
      if (object.kind === 'ServiceMonitor') continue; // an operator's; checked below
      const specifier = `kubernetes-models/${object.apiVersion}`;
      const models = (await import(/* @vite-ignore */ specifier)) as Record<string, new (data: object) => Loose>;
      const Model = models[object.kind];
      expect(Model && (() => new Model(object).validate()), object.kind).not.toThrow();
    }
  });

  it('gives no object a name too long for Kubernetes, whatever the release name', () => {
    const names = plain.map(({ metadata }) => metadata.name as string);
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(63);
    expect(plain.find(({ kind }) => kind === 'Deployment').metadata.labels['app.kubernetes.io/instance']).toHaveLength(
      53,
    );
  });

  it('gives pods settings the service accepts', () => {
    for (const { data } of ofKind('ConfigMap')) {
      const settings = parse(data['config.yaml']) as Record<string, unknown>;
      const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
      expect(readConfig({ ...env, MONGODB_URI: 'mongodb://a.example' })).toMatchObject({
        port: 4000,
        environment: 'production',
      });
    }
  });

  it('takes on and off as Helm reads them, as true and false, and neither where a setting has other words', () => {
    const { $schema: _, ...schema } = JSON.parse(
      textOf('deploy/helm/inspection-exchange/values.schema.json'),
    ) as object & {
      $schema: string;
    };
    const validate = new Ajv({ allowUnionTypes: true }).compile(schema);
    const values = parse(textOf('deploy/helm/inspection-exchange/values.yaml')) as Loose;
    const takes = (config: string) => validate({ ...values, config: parse(config, { version: '1.1' }) });
    expect(
      takes('{ EVENTS: off, GRAPHQL_JIT: on, PERSISTED_OPERATIONS: off, CORS_ORIGINS: [https://a.example] }'),
    ).toBe(true);
    for (const wrong of ['PERSISTED_OPERATIONS: on', 'PUBLIC_DOCS: yes', 'EVENTS: 1']) expect(takes(wrong)).toBe(false);
  });

  it('has the service trust a proxy behind an ingress, and otherwise nobody', () => {
    const trusted = (objects: Loose[]) =>
      objects.filter(({ kind }) => kind === 'ConfigMap').map(({ data }) => parse(data['config.yaml']).TRUST_PROXY);
    expect([trusted(rendered), trusted(plain)]).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });

  it('runs pods and migrations without root, on a read-only file system', () => {
    const [deployment] = ofKind('Deployment');
    for (const { spec } of [deployment, ...ofKind('Job')].map((each) => each.spec.template)) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
      expect(spec.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec.automountServiceAccountToken).toBe(false);
    }
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(10 + 35);
    expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });

  it('migrates before the new pods start, and again once the old ones have had time to stop', () => {
    const [{ spec }] = ofKind('Deployment');
    const grace = String(spec.template.spec.terminationGracePeriodSeconds);
    const jobs = ofKind('Job').map((job) => [
      job.metadata.annotations['helm.sh/hook'],
      job.spec.template.spec.containers[0].args,
    ]);
    expect(jobs).toEqual([
      ['pre-install,pre-upgrade', ['migrate']],
      ['post-upgrade', ['migrate', '--again', '--after', grace]],
    ]);
  });

  it('gives every pod its secret settings as files, extra variables and volumes, and the ingress address', () => {
    for (const { spec } of [...ofKind('Deployment'), ...ofKind('Job')].map((each) => each.spec.template)) {
      const [{ env, volumeMounts }] = spec.containers;
      const places = env.filter(({ name }: Loose) => /_FILE$/.test(name)).map(({ value }: Loose) => value);
      expect(places.slice(1)).toEqual(['/run/mongodb/uri', '/run/settings/WEBHOOK_SECRET_KEY']);
      expect(env).toContainEqual({ name: 'OTEL_TRACES_SAMPLER', value: 'parentbased_traceidratio' });
      const volumes = spec.volumes.map(({ name }: Loose) => name);
      expect(volumeMounts.map(({ name }: Loose) => name).sort()).toEqual(volumes.sort());
    }
    for (const { data } of ofKind('ConfigMap'))
      expect(parse(data['config.yaml'])).toMatchObject({ BASE_URL: 'https://exchange.example' });
  });

  it('selects its own pods for traffic, metrics, scaling and policies', () => {
    const [{ metadata, spec }] = ofKind('Deployment');
    const labels = spec.template.metadata.labels;
    const selectors = [
      spec.selector.matchLabels,
      ...ofKind('Service').map((each) => each.spec.selector),
      ...ofKind('PodDisruptionBudget').map((each) => each.spec.selector.matchLabels),
      ...ofKind('NetworkPolicy').map((each) => each.spec.podSelector.matchLabels),
    ];
    for (const selector of selectors) expect(selector).toEqual(labels);
    expect(ofKind('HorizontalPodAutoscaler')[0].spec.scaleTargetRef.name).toBe(metadata.name);
    const [monitor] = ofKind('ServiceMonitor');
    const metrics = ofKind('Service').find((each) => each.spec.ports[0].name === monitor.spec.endpoints[0].port);
    expect(metrics.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    expect(metrics.metadata.labels[monitor.spec.jobLabel]).toBe('inspection-exchange'); // the alert rules' job
    const [network] = ofKind('NetworkPolicy');
    expect(network.spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(network.spec.ingress[1].from).toHaveLength(1); // metrics are not public
  });
});
