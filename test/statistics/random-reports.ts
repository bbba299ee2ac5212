import { random } from '../../src/demo/random.ts';
import type { TestService } from '../service.ts';

const DAY_MS = 24 * 3_600_000;
const START = Date.parse('2025-03-01T00:00:00Z');

/** Randomly writes, changes and deletes jobs and their reports through the API. */
export class RandomReports {
  readonly #service: TestService;
  readonly #workspaces: readonly string[];
  readonly #next: () => number;
  readonly #jobs: { readonly path: string; readonly below: string[] }[] = [];
  /** The clock of the service. */
  now = new Date(START);

  constructor(service: TestService, workspaces: readonly string[], seed: number) {
    this.#service = service;
    this.#workspaces = workspaces;
    this.#next = random(seed).next;
  }

  /** One write; some are refused by the rules, as they should be. */
  async step(): Promise<void> {
    this.now = new Date(START + Math.floor(this.#next() * 420) * DAY_MS + Math.floor(this.#next() * DAY_MS));
    const chance = this.#next();
    if (this.#jobs.length < 5 || chance < 0.3) return this.#create();
    const job = this.#pick(this.#jobs);
    if (chance < 0.4) return this.#send('PATCH', job.path, this.#job());
    if (chance < 0.45) return this.#deleteJob(job);
    if (job.below.length > 0 && chance < 0.53) return this.#send('PATCH', this.#pick(job.below), this.#flags());
    if (job.below.length > 0 && chance < 0.55) return this.#move(this.#pick(job.below), this.#pick(this.#jobs).path);
    if (job.below.length > 0 && chance < 0.65) {
      const [path = ''] = job.below.splice(Math.floor(this.#next() * job.below.length), 1);
      return this.#send('DELETE', path);
    }
    const [kind, body] = this.#report();
    const made = await this.#post(`${job.path}/${kind}`, body);
    if (made) job.below.push(`${job.path}/${kind}/${made}`);
  }

  /** Moves a report to another job, by the API that can; another workspace's is refused. */
  #move(report: string, job: string): Promise<void> {
    const [, , workspace] = report.split('/');
    const [id, parent] = [report, job].map((path) => path.split('/').at(-1));
    return this.#send('PATCH', `/v2/workspaces/${workspace}/documents/${id}`, { body: { parent } });
  }

  async #create(): Promise<void> {
    const jobs = `/workspaces/${this.#pick(this.#workspaces)}/jobs`;
    const made = await this.#post(jobs, this.#job());
    if (made) this.#jobs.push({ path: `${jobs}/${made}`, below: [] });
  }

  async #deleteJob(job: { readonly path: string }): Promise<void> {
    this.#jobs.splice(this.#jobs.indexOf(job as never), 1);
    await this.#send('DELETE', job.path);
  }

  #job(): object {
    const [status, activity] = [this.#pick(['complete', 'complete', 'cancelled', 'active', null]), this.#activity()];
    return {
      ...{ status, activity, etc: this.#time(), refNumber: String(this.#next()) },
      location: { name: `Port ${this.#pick('AB')}` },
      vendor: this.#next() < 0.8 ? { name: `Laboratory ${this.#pick('AB')}` } : null,
      transports: [{ name: `Vessel ${this.#pick('ABC')}` }, { name: `Vessel ${this.#pick('CD')}` }],
      cargo: this.#next() < 0.8 ? { product: { name: `Product ${this.#pick('ABC')}` } } : null,
    };
  }

  #report(): readonly [string, object] {
    const measurements = [...Array(Math.floor(this.#next() * 3))].map(() => ({
      ...{ code: this.#pick(['GSV', ' gsv ', 'TOV', 'NSV']), name: this.#pick(['gross', 'GSV', 'net']) },
      ...{ value: Math.round(this.#next() * 1e6) / 1e3, uom: { name: 'm3' } },
    }));
    switch (this.#pick(['quality', 'quality', 'quantity', 'quantity', 'timelog', 'load-port-information'])) {
      case 'quantity':
        return ['quantity', { direction: this.#pick(['source', 'destination']), date: this.#time(), measurements }];
      case 'timelog':
        return ['timelog', { category: 'event', start: this.#time() }];
      case 'load-port-information':
        return ['load-port-information', { portOfLoading: { name: `Port ${this.#pick('XY')}` }, measurements }];
      default:
        return ['quality', { test: { name: 'Sulphur' }, result: '1', ...this.#flags() }];
    }
  }

  #flags(): object {
    const flag = () => this.#pick([true, false, null]);
    return { isOffSpec: flag(), isPassed: flag(), isPerformed: flag() };
  }

  #activity = () => this.#pick(['discharge', 'discharge', 'discharge', 'load', null]);
  #time = () => new Date(this.now.getTime() + Math.floor((this.#next() - 0.5) * 10 * DAY_MS)).toISOString();
  #pick<T>(from: ArrayLike<T>): T {
    return from[Math.floor(this.#next() * from.length)] as T;
  }

  async #post(path: string, body: object): Promise<string | undefined> {
    const { status, body: made } = await this.#service.ask('POST', path, { as: 'vendor', body: plain(body) });
    if (status >= 500) throw new Error(`${path}: ${status}`);
    return made.id;
  }

  async #send(method: string, path: string, body?: object): Promise<void> {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const options = { as: 'vendor', ...(body && { body, headers }) } as const;
    const { status } = await this.#service.ask(method, path, options);
    if (status >= 500) throw new Error(`${method} ${path}: ${status}`);
  }
}

/** A new body has no nulls. */
const plain = (body: object): object => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
