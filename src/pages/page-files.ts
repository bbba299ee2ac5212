import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Router } from 'express';
import { PAGE_POLICY } from './content-policy.ts';

/** Serves files below `base` under the given names, for browsers to cache for ever. Each is read and compressed once. */
export function pageFiles(base: string, files: Readonly<Record<string, string>>): Router {
  const router = Router();
  for (const [name, file] of Object.entries(files)) {
    const plain = once(() => readFile(file));
    const compressed = once(async () => promisify(gzip)(await plain()));
    router.get(`${base}/${name}`, async (request, response) => {
      const isCompressed = request.acceptsEncodings('gzip') === 'gzip';
      response.set('Content-Security-Policy', PAGE_POLICY); // a worker obeys the policy of its own file
      response.set('Cache-Control', 'public, max-age=31536000, immutable').vary('Accept-Encoding').type(extname(name));
      if (isCompressed) response.set('Content-Encoding', 'gzip');
      response.send(await (isCompressed ? compressed() : plain()));
    });
  }
  return router;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
