import got from 'got';
import { codingIn, inspect } from './inspection.ts';

await inspect({
  expects: true,
  async send({ method, url, headers, json, form, stream }) {
    const body = form ?? stream;
    const answer = await got(url, {
      method,
      headers,
      throwHttpErrors: false,
      ...(json && { json }),
      ...(body && { body }),
    });
    return {
      status: answer.statusCode,
      text: answer.body,
      header: (name) => [answer.headers[name] ?? []].flat()[0],
      redirects: answer.redirectUrls.length,
      encoding: codingIn(answer.rawHeaders),
    };
  },
  download: (url, headers) => got.stream(url, { headers }),
});
