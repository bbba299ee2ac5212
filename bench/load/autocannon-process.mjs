// node autocannon-process.mjs FILE: sends the requests of the file, and prints what came of it as JSON.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const { requests, ...options } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
let clients = 0;
const result = await autocannon({
  ...options,
  timeout: 10,
  requests,
  setupClient(client) {
    // Each connection begins elsewhere in the row, so that they do not all ask for the same thing at once.
    const start = Math.floor((clients++ * requests.length) / options.connections);
    client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
  },
});
const { p50, p99 } = result.latency;
const failed = result.non2xx + result.errors + result.timeouts;
console.log(JSON.stringify({ perSecond: result.requests.total / result.duration, p50, p99, failed }));
