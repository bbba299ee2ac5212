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

/** The jobs of a list followed to its end, and the commands that read them. */
async function follow(path: string) {
  const found: string[] = [];
  const commands = await commandsDuring(service, async () => {
    let next: string | undefined = path;
    while (next) {
      const { body, headers } = await service.ask('GET', next, { as: 'client' });
      found.push(...body.map(({ id }: { id: string }) => id));
      next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(service.url, '');
    }
  });
  return { found, commands };
}

const ofWorkspace = () => `${documents}?type=svc.inspection.job&sort=refNumber`;
const ofAll = () => '/bridge/v1/data/jobs?sort=body.refNumber';

it.each([
  ['one workspace', 1_100, ofWorkspace],
  ['one workspace', JOBS + 1, ofWorkspace],
  ['all workspaces', 1_100, ofAll],
  ['all workspaces', JOBS + 1, ofAll],
])(
  'jobs of %s in the opposite order of an index, %i a page, are read without sorting',
  async (_, limit, list) => {
    const { found, commands } = await follow(`${list()}:desc&limit=${limit}`);
    expect(found).toEqual(ids);
    expect(commands.filter(({ hasSortStage }) => hasSortStage).map(({ command }) => command)).toEqual([]);
  },
  60_000,
);

it.each([
  ['one workspace', ofWorkspace],
  ['all workspaces', ofAll],
])(
  'the last of a page of jobs of %s is found by an index that is named',
  async (_, list) => {
    for (const direction of ['asc', 'desc']) {
      const { commands } = await follow(`${list()}:${direction}&limit=1100`);
      const passing = commands.filter(({ command }) => command.find === 'documents' && command.skip > 100);
      expect(passing.length).toBeGreaterThan(0);
      expect(passing.map(({ command }) => command.hint)).toEqual(passing.map(() => 'job_ref_number'));
    }
  },
  60_000,
);
