import { serviceFixture, workspaceFixture } from '../../service.ts';

/** A service with a workspace, and the actions of result tests on it over v2, as the vendor. */
export function resultFixture() {
  const service = serviceFixture();
  const workspace = workspaceFixture(service);
  const documents = () => `/v2/workspaces/${workspace.id}/documents`;
  const post = (type: string, body: object) => service.ask('POST', documents(), { as: 'vendor', body: { type, body } });
  return {
    service,
    workspace,
    documents,
    post,
    patch: (id: string, body: object, more: object = {}) =>
      service.ask('PATCH', `${documents()}/${id}`, { as: 'vendor', body: { body, ...more } }),
    newJob: async () => (await post('svc.inspection.job', {})).body.id as string,
    listed: async (type: string, query: string) => {
      const { body } = await service.ask('GET', `${documents()}?type=${type}&${query}`, { as: 'client' });
      return body.map(({ id }: { id: string }) => id) as string[];
    },
  };
}
