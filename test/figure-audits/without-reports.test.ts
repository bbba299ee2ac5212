import { beforeAll, describe, expect, it } from 'vitest';
import type { Viewer } from '../../src/auth/viewer.ts';
import { Domain } from '../../src/domain/domain.ts';
import { auditedWithoutReports } from '../../src/domain/job-analysis/audited-job.ts';
import { AUDITED_REPORTS } from '../../src/domain/job-analysis/facts-without-reports.ts';
import { Analyses } from '../../src/domain/job-analysis/job-analysis.ts';
import { Loaders } from '../../src/domain/loaders/loaders.ts';
import { SYSTEM_CLOCK_AND_IDS } from '../../src/domain/request/clock-and-ids.ts';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { Entity } from '../../src/model/entity/entity.ts';
import { AuditedDocuments } from '../../src/store/figure-audits/audited-documents.ts';
import { commandsDuring } from '../profile.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { RandomFigures } from './random-figures.ts';

const service = serviceFixture();
let jobs: Entity[];
let reported: ReadonlySet<string>;
let documents: AuditedDocuments;

beforeAll(async () => {
  const workspace = (await makeWorkspace(service)).id;
  const figures = new RandomFigures(service, workspace, 11);
  for (let i = 0; i < 40; i++) await figures.step();
  const product = { product: { name: 'Diesel' } };
  const requested = { quality: true, quantity: true, timelog: true };
  for (const status of ['complete', 'active', 'cancelled', undefined]) {
    for (const activity of ['load', 'discharge', 'sample', undefined]) {
      const transports = [{ name: 'Aster' }, { name: 'Borealis' }].slice(0, activity === 'load' ? 1 : 2);
      const trip = activity !== 'sample' && { tripNumber: ' 7 a' };
      const body = { status, activity, transports, requested, cargo: product, etc: '2026-03-04T05:06:07Z', ...trip };
      for (const [path, sent] of [['documents', body] as const, ['documents/bulk', [body]] as const]) {
        const request = { as: 'vendor', body: { type: JOB_TYPE, body: sent } } as const;
        const made = await service.ask('POST', `/v2/workspaces/${workspace}/${path}`, request);
        expect(made.status, made.text).toBe(201);
      }
    }
  }
  jobs = await service.stores.documents.findMany({ workspace, type: JOB_TYPE });
  documents = new AuditedDocuments(service.stores.db);
  reported = await documents.parentsAmong(jobs, AUDITED_REPORTS);
});

describe('a job without reports', () => {
  it('is told from one that has some by the index alone', async () => {
    const below = await service.stores.documents.findMany({ parent_id: jobs.map(({ id }) => id) });
    expect(reported).toEqual(new Set(below.map(({ parentId }) => parentId)));
    expect(reported.size).toBeGreaterThan(3);
    const told = await commandsDuring(service, async () => void (await documents.parentsAmong(jobs, AUDITED_REPORTS)));
    expect(told.map(({ docsExamined }) => docsExamined)).toEqual([0]);
  });

  it('gets the same audit alone as with everything that could belong to it', async () => {
    const bare = jobs.filter(({ id }) => !reported.has(id));
    expect(bare.length).toBeGreaterThan(5);
    const [tenant = ''] = bare[0]?.readers ?? [];
    const viewer: Viewer = { id: tenant, tenant, name: 'a party', scopes: new Set(['read'] as const) };
    const domain = new Domain(viewer, service.stores, { sources: SYSTEM_CLOCK_AND_IDS });
    const analyses = new Analyses(new Loaders(domain));
    const wanted = await Promise.all(bare.map((job) => analyses.auditedJob(job)));
    expect(bare.map(auditedWithoutReports)).toEqual(wanted);
    expect(new Set(wanted.map(({ findings }) => findings.length)).size).toBeGreaterThan(1);
    expect(new Set(wanted.map(({ voyage }) => voyage === undefined)).size).toBe(2);
  });

  it('is marked on creation if it lacks what was requested, alone and in bulk', () => {
    const made = jobs.filter(({ id, revision }) => revision === 1 && !reported.has(id));
    const marks = made.map((job) => job.stored('audit.passed'));
    expect(marks).toEqual(made.map((job) => (auditedWithoutReports(job).findings.length > 0 ? false : undefined)));
    expect(new Set(marks).size).toBe(2);
  });
});
