// npm run bench -- --only reference: searches of many ports through the whole service, compared with plain driver queries.
import { type Collection, type Document, MongoClient } from 'mongodb';
import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { connectStores } from '../../src/store/stores.ts';
import { OURS, type Running, startContestant } from '../contestants.ts';
import type { Measurement } from '../measurement.ts';
import { spreadOf } from '../tournament/figures.ts';
import { FIRST_WRITTEN, fillPorts, portCode } from './reference-ports.ts';

/** One search: as a partner requests it, and as a plain query. */
interface Search {
  readonly title: string;
  readonly page: number;
  readonly query: Readonly<Record<string, string>>;
  readonly filter: Document;
}

interface Found {
  readonly total: number;
  readonly codes: readonly string[];
}

const PAGE = 25;
const TENANT = DEMO_TENANTS.client;

/** Measures each search both ways in turn, which must find the same; a ratio below 1 means that the service is faster. */
export async function benchReference({ stage, options, log }: Measurement): Promise<void> {
  const count = options.quick ? 20_000 : 200_000;
  const stores = await connectStores(stage.place);
  await fillPorts(stores, count);
  await stores.close();
  const client = await new MongoClient(stage.place.uri).connect();
  const gateway = await startContestant(OURS, stage.place);
  try {
    log(
      `Searches of ${count} ports, ${PAGE} a page: milliseconds, and ours ÷ the driver's find, sort, skip, limit and countDocuments.`,
    );
    const ports = client.db(stage.place.database).collection('reference_records');
    for (const search of searches(count)) log(await measure(search, gateway, ports, options.quick ? 5 : 15));
  } finally {
    await gateway.stop();
    await client.close();
  }
}

function searches(count: number): Search[] {
  const far = count / 100;
  const time = (share: number): Date => new Date(FIRST_WRITTEN + count * share * 1_000);
  const within = (from: number, to: number) => ({
    query: { dateModifiedFrom: time(from).toISOString(), dateModifiedTo: time(to).toISOString() },
    filter: { modified_at: { $gte: time(from), $lte: time(to) } },
  });
  const codes = Array.from({ length: 200 }, (_, i) => portCode(Math.floor((i * count) / 200)));
  const byCode = { query: { clientCodes: JSON.stringify(codes) }, filter: { code: { $in: codes } } };
  return [
    { title: 'page 1', page: 1, query: {}, filter: {} },
    { title: `page ${far}`, page: far, query: {}, filter: {} },
    { title: 'page 1, written in the last thousandth', page: 1, ...within(0.999, 1) },
    { title: 'page 1, written in the middle four fifths', page: 1, ...within(0.1, 0.9) },
    { title: `page ${far}, written in the middle four fifths`, page: far, ...within(0.1, 0.9) },
    { title: 'page 1 of 200 client codes', page: 1, ...byCode },
    { title: 'page 8 of 200 client codes', page: 8, ...byCode },
  ];
}

async function measure(search: Search, gateway: Running, ports: Collection, rounds: number): Promise<string> {
  const ways = [() => throughGateway(search, gateway), () => byDriver(search, ports)] as const;
  const [mine, theirs] = [await ways[0](), await ways[1]()];
  if (JSON.stringify(mine) !== JSON.stringify(theirs)) throw new Error(`${search.title}: the answers differ`);
  for (const way of ways) for (let i = 0; i < 3; i++) await way();
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const started = performance.now();
      await ways[index]();
      times[index].push(performance.now() - started);
    }
  }
  const ratios = spreadOf(times[0].map((time, round) => time / (times[1][round] ?? Number.NaN)));
  const [ours, drivers] = times.map((taken) => spreadOf(taken).median.toFixed(1).padStart(7));
  const ratio = `${ratios.median.toFixed(2)} (${ratios.min.toFixed(2)} to ${ratios.max.toFixed(2)})`;
  return `  ${search.title.padEnd(46)}${ours} ours ${drivers} the driver   ratio ${ratio}`;
}

async function throughGateway({ page, query }: Search, { url }: Running): Promise<Found> {
  const parameters = new URLSearchParams({ page: String(page), ...query });
  const response = await fetch(`${url}/api/rest/1.0/ports?${parameters}`, {
    headers: { Authorization: 'Bearer demo-client-key' },
  });
  const { totalResultsAvailable: total, results } = (await response.json()) as {
    totalResultsAvailable: number;
    results: { clientCode: string }[];
  };
  return { total, codes: results.map(({ clientCode }) => clientCode) };
}

async function byDriver({ page, filter }: Search, ports: Collection): Promise<Found> {
  const whole = { tenant: TENANT, type: 'ports', ...filter };
  const [rows, total] = await Promise.all([
    ports
      .find(whole)
      .sort({ code: 1 })
      .skip((page - 1) * PAGE)
      .limit(PAGE)
      .toArray(),
    ports.countDocuments(whole),
  ]);
  return { total, codes: rows.map(({ code }) => String(code)) };
}
