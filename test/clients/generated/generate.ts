// node generate.ts DOCUMENT OUTPUT [DOCUMENT OUTPUT …]: TypeScript clients of OpenAPI documents.
import { registerHooks } from 'node:module';

// The generator writes code with TypeScript's own API, which TypeScript 7 lacks.
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-api' : name, context) });
const { createClient } = await import('@hey-api/openapi-ts');

const args = process.argv.slice(2);
for (let index = 0; index + 1 < args.length; index += 2) {
  const [input = '', path = ''] = args.slice(index);
  await createClient({ input, output: { path, module: { extension: '.ts' } }, logs: { file: false } });
}
