import type { ClientSession } from 'mongodb';
import { v7 as newId } from 'uuid';
import { type Random, random } from '../../src/demo/random.ts';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { QUANTITY_RESULT_TYPE } from '../../src/model/document-types/quantity-result.ts';
import type { StoredDocument } from '../../src/model/entity/entity.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { TestService } from '../service.ts';
import { putEarlierForm } from './earlier-form.ts';

/** The units of figures, most of them in the first; the meaning of the last two is, or was, unknown. */
const UNITS = ['m3', 'bbl', 't', 'm3 at 15 °C', 'bbl at 60 °F', 'parcels'] as const;
type Unit = (typeof UNITS)[number];
const IN_CUBIC_METRES: Readonly<Partial<Record<Unit, number>>> = { bbl: 6.2898108, 'bbl at 60 °F': 6.2898108 };
const VESSELS = ['Aster', 'Borealis'] as const;
/** Ship to shore, often near the limits of what counts and of what is usual. */
const RATIOS = [
  1, 1, 1.0002, 0.9998, 1.0011, 0.9987, 1.00295, 1.00301, 0.997, 0.99702, 1.0033, 1.02, 1.02001, 0.98, 0.97,
];
const BEGUN = Date.UTC(2026, 2, 1);

interface Place {
  readonly workspace: string;
  readonly readers: readonly string[];
}

/** Randomly stores, changes and removes voyages of two vessels, bypassing the rules for requests. */
export class RandomVoyages {
  readonly #service: TestService;
  readonly #place: Place;
  readonly #chance: Random;
  readonly #records = new Map<string, string>();
  /** The ids of reports by the id of their job. */
  readonly #jobs = new Map<string, string[]>();
  readonly #crowd: string[] = [];

  constructor(service: TestService, place: Place, seed: number) {
    this.#service = service;
    this.#place = place;
    this.#chance = random(seed);
  }

  /** Creates the vessels and units, and this many voyages. */
  async begin(voyages: number): Promise<void> {
    for (const [catalog, names] of [['transports', VESSELS] as const, ['uom', UNITS] as const]) {
      for (const name of names) this.#records.set(name, await this.#record(catalog, name));
    }
    await this.#inTransaction(async (session) => {
      for (let i = 0; i < voyages; i++) await this.#voyage(session);
    });
  }

  /** A few changes at once. */
  async step(): Promise<void> {
    const { next, whole } = this.#chance;
    const chance = next();
    if (chance < 0.04) return this.#link();
    if (chance < 0.08) return this.#rename();
    if (chance < 0.14) return putEarlierForm(this.#service.stores.db, [this.#chance.pick([...this.#jobs.keys()])]);
    await this.#inTransaction(async (session) => {
      for (let i = whole(1, 3); i > 0; i--) await this.#change(session);
    });
  }

  async #change(session: ClientSession): Promise<void> {
    const chance = this.#chance.next();
    const job = this.#chance.pick([...this.#jobs.keys()]);
    if (chance < 0.35) return this.#voyage(session);
    if (chance < 0.5) return this.#measureAgain(job, session);
    if (chance < 0.64) return this.#replace(job, this.#jobBody(), session);
    if (chance < 0.74) return this.#moveReport(job, session);
    if (chance < 0.86) return this.#removeJob(job, session);
    if (chance < 0.94) return this.#gather(session);
    return this.#disperse(session);
  }

  async #voyage(session: ClientSession): Promise<void> {
    const id = await this.#put(JOB_TYPE, this.#jobBody(), { session });
    this.#jobs.set(id, []);
    if (this.#chance.chance(0.9)) await this.#measure(id, session);
  }

  #jobBody(): JsonObject {
    const { pick, chance } = this.#chance;
    const vessels = chance(0.94) ? [pick(['Aster', 'Aster', 'Borealis'])] : ['Aster', 'Borealis'];
    return {
      status: pick(['complete', 'complete', 'complete', 'complete', 'complete', 'active', 'cancelled']),
      activity: pick(['load', 'discharge', 'discharge', 'discharge']),
      transports: vessels.map((name) => this.#id(name)),
      ...(chance(0.3) && { tripNumber: pick(['1', '2', ' 2 ', '3']) }),
    };
  }

  async #measure(parent: string, session: ClientSession): Promise<void> {
    const { pick, chance, whole } = this.#chance;
    const unit = pick<Unit>(['m3', 'm3', 'm3', 'm3', 'm3', 'm3', 'bbl', 'bbl', ...UNITS]);
    const other = chance(0.9) ? unit : pick(UNITS);
    const shore = chance(0.03) ? whole(-1, 0) : whole(90, 110) * 100;
    const [more, date] = [chance(0.08) && { activeShoreTank: chance(0.7) }, new Date(BEGUN + whole(0, 40) * 3_600_000)];
    const sides = { source: [shore * pick(RATIOS), unit], destination: [shore, other] } as const;
    for (const [direction, [value, uom]] of Object.entries(sides)) {
      const TCV = Number((value * (IN_CUBIC_METRES[uom] ?? 1)).toFixed(4));
      const measurements = [{ code: 'TCV', value: TCV, uom: this.#id(uom) }];
      const body = { direction, measurements, date: date.toISOString(), ...more };
      if (chance(0.97)) this.#jobs.get(parent)?.push(await this.#put(QUANTITY_RESULT_TYPE, body, { parent, session }));
    }
  }

  async #measureAgain(job: string, session: ClientSession): Promise<void> {
    const reports = this.#jobs.get(job)?.splice(0) ?? [];
    await this.#documents.deleteMany({ _id: { $in: reports } }, { session });
    if (this.#chance.chance(0.8)) await this.#measure(job, session);
  }

  async #moveReport(job: string, session: ClientSession): Promise<void> {
    const report = this.#jobs.get(job)?.pop();
    const other = this.#chance.pick([...this.#jobs.keys()]);
    if (!report) return;
    const { _id, ...stored } = (await this.#documents.findOne({ _id: report }, { session })) as StoredDocument;
    await this.#documents.replaceOne({ _id }, { ...stored, parent_id: other }, { session });
    this.#jobs.get(other)?.push(report);
  }

  async #removeJob(job: string, session: ClientSession): Promise<void> {
    await this.#documents.deleteMany({ _id: { $in: [job, ...(this.#jobs.get(job) ?? [])] } }, { session });
    this.#jobs.delete(job);
  }

  /** Enough voyages of a vessel without figures that older ones are no longer among its newest. */
  async #gather(session: ClientSession): Promise<void> {
    const transports = [this.#id('Aster')];
    const status = this.#chance.pick(['complete', 'complete', 'active']);
    for (let i = 0; i < 60; i++) {
      const body = { status, activity: 'discharge', transports };
      this.#crowd.push(await this.#put(JOB_TYPE, body, { session, at: BEGUN + this.#chance.whole(500, 1_500) }));
    }
  }

  async #disperse(session: ClientSession): Promise<void> {
    await this.#documents.deleteMany({ _id: { $in: this.#crowd.splice(0, 70) } }, { session });
  }

  async #replace(job: string, body: JsonObject, session: ClientSession): Promise<void> {
    const { _id, ...stored } = (await this.#documents.findOne({ _id: job }, { session })) as StoredDocument;
    await this.#documents.replaceOne({ _id }, { ...stored, body, refs: refsOf(body) }, { session });
  }

  /** Links or unlinks the vessels. */
  async #link(): Promise<void> {
    const [a, b] = VESSELS.map((name) => this.#id(name));
    await this.#ask(this.#chance.chance(0.5) ? 'POST' : 'DELETE', `transports/${a}/synonyms/${b}`);
  }

  /** Renames a unit to a known or an unknown name. */
  async #rename(): Promise<void> {
    const [unit, names] = this.#chance.pick([
      ['bbl', ['bbl', 'kbl']] as const,
      ['parcels', ['gal', 'parcels']] as const,
    ]);
    await this.#ask('PATCH', `uom/${this.#id(unit)}`, { body: { name: this.#chance.pick(names) } });
  }

  async #put(
    type: string,
    body: JsonObject,
    {
      session,
      parent = null,
      at,
    }: { readonly session: ClientSession; readonly parent?: string | null; readonly at?: number },
  ): Promise<string> {
    const [_id, by] = [newId(), 'a party'];
    const created_at = new Date(at ?? BEGUN + this.#chance.whole(0, 1_000));
    const made = {
      version_id: newId(),
      revision: 1,
      created_by: by,
      created_at,
      modified_by: by,
      modified_at: created_at,
    };
    const document = { ...this.#place, ...made, _id, type, parent_id: parent, body, refs: refsOf(body), keys: {} };
    await this.#documents.insertOne(document, { session });
    return _id;
  }

  get #documents() {
    return this.#service.stores.db.collection<StoredDocument>('documents');
  }

  #inTransaction(work: (session: ClientSession) => Promise<void>): Promise<void> {
    return this.#service.stores.db.client.withSession((session) => session.withTransaction(() => work(session)));
  }

  #id(name: string): string {
    return this.#records.get(name) ?? '';
  }

  async #record(catalog: string, name: string): Promise<string> {
    return (await this.#ask('POST', catalog, { body: { name } })) ?? '';
  }

  async #ask(method: string, path: string, body?: object): Promise<string | undefined> {
    const to = `/v2/workspaces/${this.#place.workspace}/xrefs/${path}`;
    const { status, body: made, text } = await this.#service.ask(method, to, { as: 'vendor', body });
    if (status >= 300 && status !== 404 && status !== 409) throw new Error(text);
    return made?.id;
  }
}

/** The records that a body refers to. */
const refsOf = (body: JsonObject): string[] =>
  [...JSON.stringify(body).matchAll(/"([0-9a-f-]{36})"/g)].flatMap(([, id]) => id ?? []);
