import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../service.ts';

const service = serviceFixture();

const audits = serverAudits({ url: () => `${service.url}/graphql` });

describe('GraphQL over HTTP, by the audit of graphql-http', () => {
  it('is complete', () => {
    expect(audits.length).toBeGreaterThan(50);
  });

  it.each(audits.map((audit) => [`${audit.id} ${audit.name}`, audit] as const))('%s', async (_title, audit) => {
    const result = await audit.fn();
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
  });
});
