import { expect } from 'vitest';
import { type Random, random } from '../../src/demo/random.ts';
import type { TestService } from '../service.ts';

interface Made {
  readonly id: string;
  readonly below: string[];
}

/** Randomly writes, changes and deletes everything that figure audit verdicts depend on, through the API. */
export class RandomFigures {
  readonly #service: TestService;
  readonly #workspace: string;
  readonly #chance: Random;
  readonly #jobs: Made[] = [];
  readonly #specifications: string[] = [];

  constructor(service: TestService, workspace: string, seed: number) {
    this.#service = service;
    this.#workspace = workspace;
    this.#chance = random(seed);
  }

  /** One write; some are refused by the rules, as they should be. */
  async step(): Promise<void> {
    const chance = this.#chance.next();
    if (this.#jobs.length < 12 || chance < 0.15) return this.#job();
    const job = this.#chance.pick(this.#jobs);
    if (chance < 0.55) return this.#report(job);
    if (chance < 0.65) return this.#patch(job.id, this.#jobBody());
    if (chance < 0.73 && job.below.length > 0) return this.#patch(this.#chance.pick(job.below), this.#changed());
    if (chance < 0.76 && job.below.length > 0) return this.#move(job, this.#chance.pick(this.#jobs));
    if (chance < 0.79) return this.#delete(job);
    if (chance < 0.83 && job.below.length > 0) return this.#deleteReport(job);
    if (chance < 0.88) return this.#specification();
    if (chance < 0.94) return this.#synonyms();
    return this.#rename();
  }

  async #job(): Promise<void> {
    const id = await this.#post('job', this.#jobBody());
    if (id) this.#jobs.push({ id, below: [] });
  }

  #jobBody(): object {
    const { pick, chance } = this.#chance;
    const specification = this.#specifications.length > 0 && chance(0.5) ? pick(this.#specifications) : undefined;
    return {
      ...{
        status: pick(['complete', 'complete', 'complete', 'active', 'cancelled']),
        activity: pick(['load', 'load', 'discharge']),
      },
      ...(chance(0.3) && { tripNumber: pick(['1', '2', '3']) }),
      ...(chance(0.1) && { requested: { quantity: true, timelog: chance(0.5) } }),
      ...(specification !== undefined && { specification }),
      transports: chance(0.95)
        ? [{ name: pick(['Aster', 'Aster', 'Borealis']) }]
        : [{ name: 'Aster' }, { name: 'Borealis' }],
      cargo: { product: { name: pick(['Diesel', 'Diesel', 'Gasoil']) } },
    };
  }

  async #report(job: Made): Promise<void> {
    const { pick, chance, whole } = this.#chance;
    if (chance(0.3)) {
      const id = await this.#post('qualityResult', {
        ...{
          parent: job.id,
          status: 'confirmed',
          setNumber: 1,
          sample: { location: 'TK1' },
          result: pick(['8', '10', '12', 'x']),
        },
        ...{ test: { name: pick(['Sulphur', 'Sulfur']) }, method: { name: 'D4294' }, uom: { name: 'mg/kg' } },
        ...{ isOffSpec: chance(0.3), date: `2026-03-0${whole(1, 9)}T00:00:00Z` },
      });
      if (id) job.below.push(id);
      return;
    }
    for (const direction of ['source', 'destination']) {
      const id = await this.#post('quantityResult', { parent: job.id, direction, ...this.#quantity() });
      if (id) job.below.push(id);
    }
  }

  #quantity(): object {
    const { pick, chance, whole } = this.#chance;
    const uom = { name: pick(['m3', 'm3', 'kbl']) };
    const TCV = 10_000 + whole(-8, 8);
    return {
      ...{ waterPerc: pick([0, 0.02, 0.02, 0.03, 0.3]), sedimentPerc: pick([0.01, 0.02, 0.2]) },
      ...(chance(0.1) && { activeShoreTank: chance(0.5) }),
      ...{ density15c: 850, meanTemp: { value: 30, uom: { name: pick(['°C', 'GRADOS']) } }, vcfTable: { name: 'T54' } },
      measurements: Object.entries({
        TCV,
        GOV: 10_000,
        GSV: 9_874.93,
        NSV: chance(0.1) ? 9_990 : 9_800,
        ...(chance(0.2) && { OBQ: 5 }),
      }).map(([code, value]) => ({ code, value, uom })),
    };
  }

  #changed(): object {
    return this.#chance.chance(0.5) ? { isOffSpec: this.#chance.chance(0.5) } : this.#quantity();
  }

  async #delete(job: Made): Promise<void> {
    for (const id of [...job.below]) await this.#ask('DELETE', `documents/${id}`);
    if (await this.#ask('DELETE', `documents/${job.id}`)) this.#jobs.splice(this.#jobs.indexOf(job), 1);
  }

  /** Moves one of the reports of a job to another one. */
  async #move(job: Made, other: Made): Promise<void> {
    const [id = ''] = job.below.splice(this.#chance.whole(0, job.below.length - 1), 1);
    const isMoved = await this.#ask('PATCH', `documents/${id}`, { body: { parent: other.id } });
    (isMoved ? other : job).below.push(id);
  }

  async #deleteReport(job: Made): Promise<void> {
    const [id = ''] = job.below.splice(this.#chance.whole(0, job.below.length - 1), 1);
    await this.#ask('DELETE', `documents/${id}`);
  }

  async #specification(): Promise<void> {
    const { pick } = this.#chance;
    const limits = {
      test: { name: 'Sulphur' },
      method: { name: 'D4294' },
      uom: { name: 'mg/kg' },
      maximum: pick([9, 10, 11]),
    };
    const tests = [{ ...limits, reproducibility: pick([1, 3]) }];
    if (this.#specifications.length > 1) return this.#patch(pick(this.#specifications), { tests });
    const id = await this.#post('specification', { product: { name: 'Diesel' }, tests });
    if (id) this.#specifications.push(id);
  }

  /** Links or unlinks two products, vessels, tests or units. */
  async #synonyms(): Promise<void> {
    const { pick, chance } = this.#chance;
    const [catalog, one, other] = pick([
      ['products', 'Diesel', 'Gasoil'],
      ['transports', 'Aster', 'Borealis'],
      ['tests', 'Sulphur', 'Sulfur'],
      ['uom', '°C', 'GRADOS'],
    ] as const);
    const [a, b] = [await this.#record(catalog, one), await this.#record(catalog, other)];
    if (a && b) await this.#ask(chance(0.5) ? 'POST' : 'DELETE', `xrefs/${catalog}/${a}/synonyms/${b}`);
  }

  /** Renames the correction table or a unit, so that it is or is no longer known. */
  async #rename(): Promise<void> {
    const [catalog, name, as] = this.#chance.pick([
      ['vcfTable', 'T54', 'ASTM 54B'],
      ['vcfTable', 'ASTM 54B', 'T54'],
      ['uom', 'kbl', 'bbl'],
      ['uom', 'bbl', 'kbl'],
    ] as const);
    const id = await this.#record(catalog, name);
    if (id) await this.#ask('PATCH', `xrefs/${catalog}/${id}`, { body: { name: as } });
  }

  async #record(catalog: string, name: string): Promise<string | undefined> {
    const query = `query R($w: UUID!, $c: String!, $n: String!) {
      catalogRecords(workspace: $w, catalog: $c, where: { name: { eq: $n } }) { nodes { id } } }`;
    const { body } = await this.#service.graphql(query, { w: this.#workspace, c: catalog, n: name });
    return body.data?.catalogRecords.nodes[0]?.id;
  }

  async #post(type: string, body: object): Promise<string | undefined> {
    return (await this.#ask('POST', 'documents', { type: `svc.inspection.${type}`, body }))?.id;
  }

  async #patch(id: string, body: object): Promise<void> {
    await this.#ask('PATCH', `documents/${id}`, { body });
  }

  async #ask(method: string, path: string, body?: object): Promise<{ readonly id: string } | undefined> {
    const answer = await this.#service.ask(method, `/v2/workspaces/${this.#workspace}/${path}`, { as: 'vendor', body });
    expect([200, 201, 204, 400, 404, 409], answer.text).toContain(answer.status);
    return answer.status < 300 ? (answer.body ?? { id: '' }) : undefined;
  }
}
