import express from 'express';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../rest-compat/endpoints.ts';
import { restHandler } from '../../../rest-compat/serve/router.ts';
import { entity, fakeGateway, ID, listen } from './fake-service.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const large = { text: 'x'.repeat(5000) };

describe('as Express middleware', () => {
  const app = express();
  app.use((_request, response, next) => {
    response.setHeader('X-Earlier', 'kept');
    next();
  });
  app.use(
    restHandler(endpoints, fakeGateway({ workspace: () => entity({ body: large }) }), { log, maxBodyBytes: 1000 }),
  );
  app.use((_request, response) => void response.status(404).send('of Express'));

  it.each(['identity', 'gzip'])('keeps headers already set, with Accept-Encoding: %s', async (encoding) => {
    await using server = await listen(app);
    const answer = await fetch(`${server.url}/v2/workspaces/${ID}`, {
      headers: { authorization: 'Bearer writer', 'accept-encoding': encoding },
    });
    expect([answer.status, answer.headers.get('x-earlier')]).toEqual([200, 'kept']);
    expect(((await answer.json()) as { body: unknown }).body).toEqual(large);
  });

  it('passes on requests outside its table', async () => {
    await using server = await listen(app);
    expect(await (await fetch(`${server.url}/graphql`)).text()).toBe('of Express');
  });
});
