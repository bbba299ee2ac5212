import { expect, it } from 'vitest';
import { commandsDuring } from '../profile.ts';
import { makeWorkspace, startTestService } from '../service.ts';

const SUMMED = ['job_facts', 'statistics_rollups'];

it.each([
  ['the primary alone, unless another is set', {}, [undefined]],
  [
    'secondaries where they are set, and nothing else is',
    { STATISTICS_READ_PREFERENCE: 'secondaryPreferred' },
    ['secondaryPreferred'],
  ],
])('statistics are read from %s', async (_, env, expected) => {
  await using service = await startTestService({ counts: true, env });
  const { id } = await makeWorkspace(service);
  await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} });
  const year = 'from: "2020-01-01T00:00:00Z", to: "2040-01-01T00:00:00Z"';
  const query = `{ workspace(id: "${id}") { statistics(${year}) { asOf completion { jobs } } } }`;
  // Until then, the first counting of all jobs also reads.
  await expect.poll(async () => (await service.graphql(query)).body.data?.workspace.statistics?.asOf).toBeTruthy();
  const commands = await commandsDuring(service, async () => {
    expect((await service.graphql(query)).body.errors).toBeUndefined();
    await service.ask('GET', `/workspaces/${id}/jobs`, { as: 'client' });
  });
  // Reads inside a transaction are the projector's own.
  const read = commands.filter(({ command }) => (command.find ?? command.aggregate) && !('autocommit' in command));
  const preferences = (summed: boolean) => {
    const those = read.filter(({ command }) => SUMMED.includes(command.find ?? command.aggregate) === summed);
    return [...new Set(those.map(({ command }) => command.$readPreference?.mode))];
  };
  expect(preferences(true)).toEqual(expected);
  expect(preferences(false)).toEqual([undefined]);
});
