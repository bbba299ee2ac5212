import { asInArgument, type Violation } from '../../errors.ts';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { StoredDocument } from '../../model/entity/entity.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import { markOfNewJob } from '../job-analysis/facts-without-reports.ts';
import type { RequestContext } from '../request/request-context.ts';
import { firstVersion } from '../versions/versions.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { type DocumentKind, derivedParts } from './document-kind.ts';
import type { BodyToStore } from './storage-form.ts';

/** The workspace and parent that a request names; the body may repeat but not contradict them. */
export interface BodyPlace {
  readonly workspace: string | null;
  readonly parent?: string | null | undefined;
}

/** The parent that a body names, in the form of the envelope. */
export const parentOf = (body: JsonObject): string | null =>
  typeof body.parent === 'string' ? body.parent.toLowerCase() : null;

/** A body as it is stored: with its workspace, its parent if it has one, and the ids of other entities in lower case. */
export function inPlace({ links }: DocumentKind, body: JsonObject, place: BodyPlace): JsonObject {
  const { workspace = null, parent = null } = place;
  const placed: Record<string, Json> = {
    ...(workspace !== null && { workspace }),
    ...(parent !== null && { parent }),
    ...body,
    ...(workspace !== null && { workspace: body.workspace ?? workspace }),
    ...(parent !== null && { parent: body.parent ?? parent }),
  };
  for (const name of links) {
    const id = placed[name];
    if (typeof id === 'string') placed[name] = id.toLowerCase();
  }
  return placed;
}

/** All errors of a completed body beyond schema violations. */
export function ruleViolations(
  { rules }: DocumentKind,
  body: JsonObject,
  { workspace, parent }: BodyPlace,
): Violation[] {
  const violations = rules.violations(body);
  if (workspace !== null && typeof body.workspace === 'string' && body.workspace !== workspace) {
    violations.push({ path: '/workspace', message: `must be ${workspace}, the workspace that the document is in.` });
  }
  if (parent && typeof body.parent === 'string' && body.parent !== parent) {
    violations.push({ path: '/parent', message: `must be ${parent}${asInArgument('job')}` });
  }
  return violations;
}

/** The violation of a parent that is not another document of this workspace, or not of the required type. */
export const unfitParent = (wanted: string, path: string, id: string): Violation => ({
  path,
  message: `${id} is not another ${wanted} of this workspace.`,
});

/** The first version of a document: its completed body, with record ids in place of references. */
export function firstDocument(
  ctx: RequestContext,
  kind: DocumentKind,
  access: WorkspaceAccess,
  { id, body, refs, bridge }: BodyToStore & { readonly id: string },
): StoredDocument {
  const { id: workspace, readers } = access;
  return {
    ...firstVersion(ctx, { id, type: kind.type.name, workspace, readers, parent: parentOf(body), body }),
    ...derivedParts(kind, body, refs),
    ...(bridge && { bridge }),
  };
}

/** A new document; a job that cannot have any reports yet gets the mark of the figure audit. */
export function withMark(stored: StoredDocument): StoredDocument {
  const audit = stored.type === JOB_TYPE ? markOfNewJob(new WrittenEntity(stored)) : undefined;
  return audit ? Object.assign(stored, { audit }) : stored;
}
