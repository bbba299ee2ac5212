import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { shapeA } from './bodies.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

describe('the sampling date of the submit form', () => {
  const FORM =
    'must be an ISO 8601 date and time with seconds and an offset (2026-01-31T08:30:00Z), or a date (2026-01-31)';

  it.each([null, 5, 'tomorrow'])('is a datetime and never null, and errors say so: %j', async (sampleDate) => {
    const { body } = await service.ask('PUT', '/bridge/v1/data/jobs', {
      as: 'client',
      body: { ...shapeA(workspace), sampleDate, eta: 5 },
    });
    expect(body.errors).toContainEqual({ path: '/sampleDate', message: `${FORM}.` });
    expect(body.errors).toContainEqual({ path: '/eta', message: `${FORM} or null.` });
  });

  it('is described so', async () => {
    const { components } = (await service.ask('GET', '/openapi.json')).body;
    const typesOf = (part: { anyOf: { type: string }[] }) => part.anyOf.map(({ type }) => type);
    const { sampleDate, eta } = components.schemas.DataApiJobSubmission.properties;
    expect(typesOf(sampleDate)).toEqual(['string', 'string']);
    expect(typesOf(eta)).toEqual(['string', 'string', 'null']);
  });
});
