import { expect, it } from 'vitest';
import { startTestService } from '../service.ts';
import { connectTo } from './raw.ts';

const GET = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';

it('an idle connection is kept for longer than proxies keep theirs', async () => {
  await using service = await startTestService();
  const connection = connectTo(service.url);
  connection.send(GET);
  expect(await connection.until(/\r\n\r\n/)).toContain('Keep-Alive: timeout=75');
  expect(await connection.ends(8_000)).toBe(false); // Node keeps it for five seconds and one
  connection.send(GET);
  expect(await connection.until(/200 OK.*200 OK/s)).toMatch(/200 OK.*200 OK/s);
  connection.socket.destroy();
});

it('KEEP_ALIVE_SECONDS sets how long it is kept', async () => {
  await using service = await startTestService({ env: { KEEP_ALIVE_SECONDS: '1' } });
  const connection = connectTo(service.url);
  connection.send(GET);
  expect(await connection.until(/\r\n\r\n/)).toContain('Keep-Alive: timeout=1');
  expect(await connection.ends(20_000)).toBe(true);
});
