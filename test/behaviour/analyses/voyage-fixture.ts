import { expect } from 'vitest';
import type { TestService, TestWorkspace } from '../../service.ts';

export const m3 = { name: 'm3' };

export const figure = (code: string, value: number, uom: object = m3) => ({ code, value, uom });

export const VOYAGE_QUERY = `query Voyage($job: UUID!, $loadFactor: Float, $dischargeFactor: Float, $measurement: String! = "TCV") {
  job(id: $job) {
    voyageAnalysis(measurement: $measurement, loadFactor: $loadFactor, dischargeFactor: $dischargeFactor) {
      loadings { id } discharges { id } uom { name } obq rob loadFactor dischargeFactor reason
      shoreToShip { ...d } transit { ...d } shipToShore { ...d } shoreToShore { ...d } onBoard { ...d }
      theoreticalLoaded { ...d } theoreticalDischarged { ...d }
    }
  }
}
fragment d on VoyageDifference { given received difference percent perMille reason }`;

/** Reports jobs of voyages in a workspace, and asks for the analysis of them. */
export function voyageFixture(service: TestService, workspace: TestWorkspace) {
  /** A job with both sides: figures of the vessel and of the shore. */
  const jobWith = async (
    body: { activity: string; [member: string]: unknown },
    vessel: object[],
    shore: object[],
  ): Promise<string> => {
    const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
      as: 'vendor',
      body: { status: 'complete', transports: [{ name: 'MT Fulmar' }], ...body },
    });
    const sides =
      body.activity === 'load' ? { source: shore, destination: vessel } : { source: vessel, destination: shore };
    for (const [direction, measurements] of Object.entries(sides)) {
      const path = `/workspaces/${workspace.id}/jobs/${made.body.id}/quantity`;
      const report = await service.ask('POST', path, { as: 'vendor', body: { direction, measurements } });
      expect(report.status, report.text).toBe(201);
    }
    return made.body.id;
  };
  const analysis = async (job: string | undefined, more: object = {}) => {
    const { body } = await service.graphql(VOYAGE_QUERY, { job, ...more });
    expect(body.errors).toBeUndefined();
    return body.data.job.voyageAnalysis;
  };
  return { jobWith, analysis };
}
