// node autocannon-process.mjs FILE: sends the requests of the file, and prints the result as JSON.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const { requests, ...options } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
let clients = 0;
const times = [];
const begun = performance.now();
let answered = begun;
const run = autocannon({
  ...options,
  timeout: 10,
  requests: requests.slice(0, 1),
  setupClient(client) {
    // Each connection has its own share of the requests, so that they do not all send the same one at once.
    const number = clients++ % options.connections;
    const share = requests.filter((_, index) => index % options.connections === number);
    client.setRequests(share.length > 0 ? share : requests);
  },
});
run.on('response', (_client, _status, _bytes, milliseconds) => {
  times.push(milliseconds);
  answered = performance.now();
});
const result = await run;
times.sort((a, b) => a - b);
const [p50, p99] = [0.5, 0.99].map((share) => times[Math.floor(times.length * share)]); // autocannon's own are whole milliseconds
const failed = result.non2xx + result.errors + result.timeouts;
const seconds = (answered - begun) / 1_000; // autocannon's own duration ends with the second in which the last answer came
console.log(JSON.stringify({ perSecond: times.length / seconds, p50, p99, failed }));
