import { expect } from 'vitest';
import type { Answer, Caller, TestService, TestWorkspace } from '../../service.ts';

/** What a patch may send beside the body. */
interface PatchOptions {
  readonly more?: object;
  readonly as?: Caller;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Jobs of a workspace as v2 documents. */
export function jobDocuments(service: TestService, workspace: TestWorkspace) {
  const pathOf = (id: string): string => `/v2/workspaces/${workspace.id}/documents/${id}`;
  return {
    pathOf,
    create: async (body: object): Promise<Answer['body']> => {
      const document = { type: 'svc.inspection.job', body };
      const answer = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, {
        as: 'client',
        body: document,
      });
      expect(answer.status).toBe(201);
      return answer.body;
    },
    patch: (
      id: string,
      body: unknown,
      { more = {}, as = 'client', headers = {} }: PatchOptions = {},
    ): Promise<Answer> => service.ask('PATCH', pathOf(id), { as, headers, body: { body, ...more } }),
    get: (id: string): Promise<Answer> => service.ask('GET', pathOf(id), { as: 'client' }),
  };
}
