import { beforeAll, expect, it } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** More than an answer has at once, a third of them with the same number. */
const JOBS = 2_400;
const numberOf = (n: number) => (n % 3 === 0 ? 'R' : `R${String(n).padStart(5, '0')}`);
let documents = '';
let ids: readonly string[] = [];

beforeAll(async () => {
  documents = `/v2/workspaces/${workspace.id}/documents`;
  const made: { id: string; number: string }[] = [];
  const jobs = Array.from({ length: JOBS }, (_, n) => ({ refNumber: numberOf(n) }));
  const body = { type: 'svc.inspection.job', body: jobs };
  const answer = await service.ask('POST', `${documents}/bulk`, { as: 'client', body });
  for (const { id, body } of answer.body) made.push({ id, number: body.refNumber });
  made.sort((a, b) => (a.number === b.number ? (a.id < b.id ? -1 : 1) : a.number > b.number ? -1 : 1));
  ids = made.map(({ id }) => id);
}, 60_000);

it.each([1_100, JOBS + 1])(
  'pages of %i in the opposite order of an index are read without sorting',
  async (limit) => {
    const found: string[] = [];
    const commands = await commandsDuring(service, async () => {
      let next: string | undefined = `${documents}?type=svc.inspection.job&sort=refNumber:desc&limit=${limit}`;
      while (next) {
        const { body, headers } = await service.ask('GET', next, { as: 'client' });
        found.push(...body.map(({ id }: { id: string }) => id));
        next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(service.url, '');
      }
    });
    expect(found).toEqual(ids);
    expect(commands.filter(({ hasSortStage }) => hasSortStage).map(({ command }) => command)).toEqual([]);
  },
  60_000,
);
