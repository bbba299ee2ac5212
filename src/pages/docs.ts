import { createHash } from 'node:crypto';
import compression from 'compression';
import { type RequestHandler, Router } from 'express';
import type { OpenApiSource } from '../../rest-compat/openapi/document.ts';
import { createPage, option, own, type PageParts, packaged, sendPage } from './page.ts';

/** The contents of the documentation page. */
interface DocsParts extends PageParts {
  /** The OpenAPI documents by path. */
  readonly documents: ReadonlyMap<string, OpenApiSource>;
  /** Lets authorized readers through. */
  readonly admit: RequestHandler;
}

const page = createPage('/docs', 'docs/index.html', {
  'swagger-ui.js': packaged('swagger-ui-dist', 'swagger-ui-bundle.js'),
  'swagger-ui.css': packaged('swagger-ui-dist', 'swagger-ui.css'),
  'page.js': own('docs/page.js'),
  'page.css': own('docs/page.css'),
});

/** The page at /docs as HTML: Swagger UI over the documents, one at a time. */
function docsPage({ documents, ...parts }: Omit<DocsParts, 'admit'>): string {
  const options = [...documents].map(([path, { title }]) => option(path, title));
  return page.html(parts, {
    choice: `<select id="document" aria-label="Part of the API">${options.join('')}</select>`,
  });
}

interface ServedDocument {
  readonly text: string;
  /** Its ETag. */
  readonly tag: string;
}

function served(source: OpenApiSource): ServedDocument {
  const text = JSON.stringify(source.make());
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}

/** Serves the OpenAPI documents, and the page that shows them and sends requests. */
export function docs(parts: DocsParts): Router {
  const router = Router();
  const compress = compression();
  for (const [path, document] of parts.documents) {
    let made: ServedDocument | undefined;
    router.get(path, parts.admit, compress, (_request, response) => {
      made ??= served(document);
      const { text, tag } = made;
      response.set({ ETag: tag, 'Cache-Control': 'no-cache' }).type('json').send(text);
    });
  }
  const html = docsPage(parts);
  router.get('/docs', parts.admit, (_request, response) => sendPage(response, html));
  router.use(page.files);
  return router;
}
