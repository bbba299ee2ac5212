import { VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import { SPECIFICATION_TYPE } from '../../model/document-types/specification.ts';
import type { JsonObject } from '../../model/json.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import type { DocumentKind } from './document-kind.ts';

/** A body, and the path prefix of its violations. */
interface Placed {
  readonly body: JsonObject;
  readonly at?: string;
  /** The body before a change: a link that it already had is not checked again. */
  readonly old?: JsonObject;
}

/** The specification that a job names, in the stored form of ids. */
const specificationOf = ({ specification }: JsonObject): string | null =>
  typeof specification === 'string' ? specification.toLowerCase() : null;

/** A violation for each specification named by the jobs that is not in this workspace. */
export async function linkViolations(
  ctx: RequestContext,
  { type }: DocumentKind,
  { id: workspace }: WorkspaceAccess,
  placed: readonly Placed[],
): Promise<readonly Violation[]> {
  if (type.name !== JOB_TYPE || workspace === null) return [];
  const named = placed.flatMap(({ body, at = '', old }) => {
    const id = specificationOf(body);
    return id === null || (old && specificationOf(old) === id) ? [] : [{ id, path: `${at}/specification` }];
  });
  if (named.length === 0) return [];
  const found = await ctx.writeStores().documents.byIds([...new Set(named.map(({ id }) => id))]);
  const fits = new Set(
    found
      .filter((one) => one?.workspaceId === workspace && one.type === SPECIFICATION_TYPE)
      .flatMap((one) => one?.id ?? []),
  );
  return named
    .filter(({ id }) => !fits.has(id))
    .slice(0, VIOLATIONS_SOUGHT)
    .map(({ id, path }): Violation => ({ path, message: `${id} is not a specification of this workspace.` }));
}
