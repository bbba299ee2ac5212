import { writeFile } from 'node:fs/promises';
import { getOperationAST, parse } from 'graphql';
import { type Endpoint, scopeOf } from '../../../rest-compat/declare/endpoint.ts';
import { endpoints } from '../../../rest-compat/endpoints.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { refuseAllBut } from '../arguments/words.ts';

export const USAGE = `${PROGRAM} routes [--write]`;

const page = new URL('../../../docs/endpoints.md', import.meta.url);

/** `npm run routes` prints the table of endpoints; with --write it brings docs/endpoints.md up to date. */
export async function run(args: readonly string[]): Promise<number> {
  refuseAllBut(['--write'], args);
  if (args.includes('--write')) {
    await writeFile(page, await endpointsPage());
    console.log(`docs/endpoints.md: ${endpoints.length} endpoints`);
    return 0;
  }
  const rows = endpoints.map(columns);
  const widths = [0, 1, 2].map((index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  for (const row of rows)
    console.log(
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  return 0;
}

/** The content of docs/endpoints.md: every endpoint by family, with its GraphQL operation. */
export async function endpointsPage(): Promise<string> {
  const families = [...new Set(endpoints.map(({ family }) => family))];
  const sections = families.map((family) =>
    [
      `## ${family.title}`,
      '',
      '| Method | Path | Scope | Id | GraphQL operation | What it does |',
      '| --- | --- | --- | --- | --- | --- |',
      ...endpoints.filter((endpoint) => endpoint.family === family).map(pageRow),
    ].join('\n'),
  );
  const intro =
    'Written by `npm run routes -- --write` from the table in rest-compat/endpoints.ts. ' +
    'HEAD works where GET does, OPTIONS everywhere; a slash at the end of a path makes no difference. ' +
    'Where there is no scope, none is needed; what is open needs no credential either.';
  return `${['# Endpoints', intro, ...sections].join('\n\n')}\n`;
}

function pageRow(endpoint: Endpoint): string {
  const [method, path, id, operation] = columns(endpoint);
  const summary = endpoint.summary.replaceAll('|', '\\|');
  return `| ${method} | \`${path}\` | ${accessOf(endpoint)} | ${id} | ${operation} | ${summary} |`;
}

const operationOf = ({ operation }: Endpoint) => getOperationAST(parse(operation));

/** The scope that an endpoint requires, or that it is public. */
function accessOf(endpoint: Endpoint): string {
  if (endpoint.open) return 'open';
  const scope = scopeOf(endpoint, operationOf(endpoint)?.operation === 'mutation');
  return scope === 'none' ? '' : scope;
}

function columns(endpoint: Endpoint): string[] {
  const { method, path, id } = endpoint;
  return [method, path, id, operationOf(endpoint)?.name?.value ?? ''];
}
