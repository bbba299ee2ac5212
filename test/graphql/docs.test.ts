import { readFileSync } from 'node:fs';
import type { GraphQLObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { seedTrade } from '../seed-trade.ts';
import { serviceFixture } from '../service.ts';

const page = readFileSync(new URL('../../docs/graphql.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```graphql\n([\s\S]*?)```\n(?:```json\n([\s\S]*?)```)?/g)].map(
  ([, query = '', variables = '{}']) => [/(?:query|mutation) (\w+)/.exec(query)?.[1] ?? '', query, variables] as const,
);

const service = serviceFixture();
beforeAll(async () => {
  await seedTrade(service.stores, { jobs: 60 });
});

describe('docs/graphql.md', () => {
  it.each(examples)('has a working example: %s', async (_name, query, variables) => {
    const { status, body } = await service.graphql(query, JSON.parse(variables), 'admin');
    expect([status, body.errors]).toEqual([200, undefined]);
  });

  it('gives the actual cost of its cost example', async () => {
    const [, query = ''] = examples.find(([name]) => name === 'Results') ?? [];
    const { body } = await service.ask('POST', '/graphql', {
      as: 'client',
      body: { query },
      headers: { 'X-Explain-Cost': '1' },
    });
    const [, shown = ''] = /```json\n(\{ "estimated".*\})\n```/.exec(page) ?? [];
    const { mostExpensive, ...told } = JSON.parse(shown);
    expect(body.extensions.cost).toMatchObject(told);
    expect(body.extensions.cost.mostExpensive[0]).toEqual(mostExpensive[0]);
    expect(page).toContain(`= ${told.estimated}:`);
  });

  it('gives the maximum numbers of documents below an entity, versions and attachments', async () => {
    const jobs = schema.getType('Job') as GraphQLObjectType;
    const rows = [...page.matchAll(/\| .*(?:documents below|attachments of) an entity.* \| ([\d,]+)/g)];
    const [many, few] = rows.map(([row, most = '']) => ({ row, most: Number(most.replace(',', '')) }));
    expect([many?.most, few?.most]).toEqual([1_000, 100]);
    for (const { name, args } of Object.values(jobs.getFields())) {
      if (!args.some((argument) => argument.name === 'first')) continue;
      const most = few?.row.includes(`\`${name}\``) ? few.most : many?.most;
      const ask = (first = 0) =>
        service.graphql(`{ jobs(first: 1) { nodes { ${name}(first: ${first}) { __typename } } } }`);
      const [taken, refused] = [await ask(most), await ask((most ?? 0) + 1)];
      expect([name, taken.body.errors]).toEqual([name, undefined]);
      expect(refused.body.errors[0].extensions.code).toBe('INVALID_INPUT');
    }
  });

  it('gives the default limits', async () => {
    for (const text of ['| 20 |', '| 50 |', '| 5,000 |', '| 1,000 |', '| 100,000 |', '| 30 seconds |']) {
      expect(page).toContain(text);
    }
  });
});
