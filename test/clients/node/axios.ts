import axios from 'axios';
import { codingIn, inspect } from './inspection.ts';

await inspect({
  expects: true,
  async send({ method, url, headers, json, form, stream }) {
    const answer = await axios.request({
      ...{ method, url, headers, data: json ?? form ?? stream ?? null },
      ...{ validateStatus: () => true, transformResponse: (text: string) => text },
    });
    return {
      status: answer.status,
      text: answer.data,
      header: (name) => String(answer.headers[name] ?? '') || undefined,
      redirects: answer.request.res.responseUrl === url ? 0 : 1,
      encoding: codingIn(answer.request.res.rawHeaders),
    };
  },
  download: async (url, headers) => (await axios.get(url, { headers, responseType: 'stream' })).data,
});
