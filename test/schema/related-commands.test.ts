import type { Document } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandsDuring } from '../profile.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';

/** A page of jobs with all their reports, records, and synonyms. */
const PAGE = `query Page($first: Int!, $each: Int!) {
  jobs(first: $first, orderBy: [{ field: "refNumber" }], filter: [{ field: "notes", anyOf: ["reported"] }]) {
    nodes {
      refNumber
      qualityResults(first: $each) { result test { name synonyms { name } synonymGroup { name } } method { name } uom { name } job { id } }
      quantityResults(first: $each) { direction measurements { uom { name } } vcfTable { name } }
      timeLog(first: $each) { category eventType { name } }
      loadPortInformation(first: $each) { portOfLoading { name } }
    }
  }
}`;

/** The same page with its computed fields. */
const SUMMARIES = `
      completeness { isComplete missing }
      quantityReconciliation { transfer { name percent uom { name } reason } outturn { percent } }
      timeSummary { timeAtPort delay delays { hours eventType { name } } gaps { hours } }
      qualitySummary { isOnSpecification latest { verdict result { result } } retests { outcome } }`;
const WITH_SUMMARIES = PAGE.replace('refNumber\n', `refNumber ${SUMMARIES}\n`);

/** And with the trade figures. */
const FIGURES = `
      figureAudit { passed checked findings { rule document { id } } }
      conformity { step assignedValue test { name } results { result } }
      voyageAnalysis { loadings { refNumber } shoreToShip { difference } reason }
      specification { name }
      qualityResults(first: $each) { verdict { conformity limit } }`;
const WITH_FIGURES = WITH_SUMMARIES.replace('refNumber ', `refNumber ${FIGURES} `);

const JOBS = 30;
const service = serviceFixture();

beforeAll(async () => {
  const { id } = await makeWorkspace(service);
  const bulk = async (type: string, body: object[]) => {
    const answer = await service.ask('POST', `/v2/workspaces/${id}/documents/bulk`, {
      as: 'vendor',
      body: { type: `svc.inspection.${type}`, body },
    });
    expect(answer.status).toBe(201);
    return answer.body as { id: string; body: { test: string } }[];
  };
  const [specification] = await bulk('specification', [
    { product: { name: 'Diesel' }, tests: [{ test: { name: 'Test 0 0' }, maximum: 2 }] },
  ]);
  const numbered = Array.from({ length: JOBS }, (_, i) => ({
    refNumber: `R-${String(i).padStart(2, '0')}`,
    notes: 'reported',
    ...{ activity: 'load', tripNumber: String(i), transports: [{ name: `Vessel ${i % 3}` }] },
    ...{ cargo: { product: { name: `Product ${i % 4}` } }, specification: specification?.id },
  }));
  const jobs = (await bulk('job', numbered)).map((job) => job.id);
  const each = (times: number, make: (parent: string, i: number, n: number) => object) =>
    jobs.flatMap((parent, i) => Array.from({ length: times }, (_, n) => make(parent, i, n)));
  const quality = await bulk(
    'qualityResult',
    each(4, (parent, i, n) => ({
      parent,
      status: 'confirmed',
      setNumber: 1,
      testNumber: n,
      sample: { location: 'TK' },
      test: { name: `Test ${i} ${n}` },
      method: { name: `Method ${n}` },
      uom: { name: 'kg/m3' },
      result: String(n),
    })),
  );
  await bulk(
    'quantityResult',
    each(2, (parent, i, n) => ({
      parent,
      direction: ['source', 'destination'][n],
      measurements: [{ name: 'GSV', uom: { name: `Unit ${i}` }, value: 1 }],
      vcfTable: { name: `Table ${n}` },
      ...{ waterPerc: 0.03, meanTemp: { value: 20, uom: { name: 'C' } } },
    })),
  );
  await bulk(
    'timelog',
    each(3, (parent, _, n) => ({ parent, category: 'event', type: { name: `Event ${n}` } })),
  );
  await bulk(
    'loadPortInformation',
    each(1, (parent, i) => ({ parent, portOfLoading: { name: `Port ${i}` } })),
  );
  for (let i = 0; i + 1 < quality.length; i += 2) {
    const [a, b] = [quality[i]?.body.test, quality[i + 1]?.body.test];
    await service.ask('POST', `/v2/workspaces/${id}/xrefs/tests/${a}/synonyms/${b}`, { as: 'vendor' });
  }
});

const commandsOf = (work: () => Promise<unknown>): Promise<Document[]> => commandsDuring(service, work);

const page = async (first: number, each = 25, query = PAGE) => {
  const { body } = await service.graphql(query, { first, each });
  expect(body.errors).toBeUndefined();
  return body.data.jobs.nodes;
};

describe('a page of jobs with results, records and synonyms', () => {
  it("has each job's reports", async () => {
    const [, second] = await page(2);
    expect(second.qualityResults).toHaveLength(4);
    expect(second.qualityResults.map(({ result }: { result: string }) => result).sort()).toEqual(['0', '1', '2', '3']);
    const first = second.qualityResults.find(({ result }: { result: string }) => result === '0');
    expect(first).toMatchObject({
      test: {
        name: 'Test 1 0',
        synonyms: [{ name: 'Test 1 1' }],
        synonymGroup: [{ name: 'Test 1 0' }, { name: 'Test 1 1' }],
      },
      method: { name: 'Method 0' },
    });
    expect(second.quantityResults.map(({ direction }: { direction: string }) => direction).sort()).toEqual([
      'destination',
      'source',
    ]);
    expect(second.quantityResults[0].measurements).toEqual([{ uom: { name: 'Unit 1' } }]);
    expect([second.timeLog.length, second.loadPortInformation]).toEqual([3, [{ portOfLoading: { name: 'Port 1' } }]]);
  });

  it("has each job's newest reports if there are more than requested", async () => {
    const [job] = await page(1, 2);
    expect([job.qualityResults.length, job.quantityResults.length, job.timeLog.length]).toEqual([2, 2, 2]);
    for (const first of [0, 101]) {
      const { body } = await service.graphql(PAGE, { first: 1, each: first });
      expect(body.errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ parameter: 'first' }] });
    }
  });

  it('costs at most nine database commands, for 5 jobs and for 25, and reads by indexes', async () => {
    await page(25);
    const five = await commandsOf(() => page(5));
    const many = await commandsOf(() => page(25));
    // Simultaneous reads may be joined, so the number varies by a few.
    expect(five.length).toBeLessThanOrEqual(9);
    expect(many.length).toBeLessThanOrEqual(9);
    for (const { ns, planSummary, docsExamined = 0, nreturned = 0 } of many) {
      expect(String(planSummary), ns).not.toContain('COLLSCAN');
      expect(docsExamined, `${ns} ${planSummary}`).toBeLessThanOrEqual(2 * nreturned + 60);
    }
  });

  it('costs no more with all computed fields: at most nine commands, for 5 jobs and for 25', async () => {
    const [job] = await page(1, 25, WITH_SUMMARIES);
    // Each source is 1 "Unit 0" and so is each destination; each test has one result, none of them judged.
    expect(job).toMatchObject({
      completeness: { isComplete: null },
      quantityReconciliation: { transfer: [{ name: 'GSV', percent: 0, uom: { name: 'Unit 0' }, reason: null }] },
      qualitySummary: { isOnSpecification: null, latest: { length: 2 } },
    });
    await page(25, 25, WITH_SUMMARIES);
    const five = await commandsOf(() => page(5, 25, WITH_SUMMARIES));
    const many = await commandsOf(() => page(25, 25, WITH_SUMMARIES));
    expect([five.length <= 9, many.length <= 9]).toEqual([true, true]);
    for (const { ns, planSummary } of many) expect(String(planSummary), ns).not.toContain('COLLSCAN');
  });

  it("reads its tests' links once, for synonyms and computed fields", async () => {
    const query = `query Linked($first: Int!) { jobs(first: $first, orderBy: [{ field: "refNumber" }], filter: [{ field: "notes", anyOf: ["reported"] }]) {
      nodes { qualityResults { result test { synonyms { name } } } qualitySummary { pendingRetests } } } }`;
    const commands = await commandsOf(async () => {
      const [, second] = await page(2, 25, query);
      const found = second.qualityResults.find(({ result }: { result: string }) => result === '0');
      expect(found.test.synonyms).toEqual([{ name: 'Test 1 1' }]);
    });
    expect(commands.filter(({ ns }) => String(ns).endsWith('.synonyms'))).toHaveLength(1);
  });

  it('costs the same number of commands with the trade figures, for 5 jobs and for 25', async () => {
    const [job] = await page(1, 25, WITH_FIGURES);
    expect(job).toMatchObject({ figureAudit: { passed: true }, voyageAnalysis: { loadings: [{ refNumber: 'R-00' }] } });
    expect(job.figureAudit.checked).toEqual(['PERCENTAGE_HISTORY']);
    // "Test 0 0" and "Test 0 1" are synonyms: the newer of their results counts.
    expect(job.conformity).toMatchObject([{ test: { name: 'Test 0 0' }, step: 'SINGLE', assignedValue: 1 }]);
    await page(25, 25, WITH_FIGURES);
    const five = await commandsOf(() => page(5, 25, WITH_FIGURES));
    const many = await commandsOf(() => page(25, 25, WITH_FIGURES));
    expect([five.length, many.length].map((count) => count <= 24)).toEqual([true, true]);
    for (const { ns, planSummary } of many) expect(String(planSummary), ns).not.toContain('COLLSCAN');
  });
});
