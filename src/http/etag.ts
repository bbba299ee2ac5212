const TAG = /(W\/)?"([^"]*)"|(\*|[^\s,"]+)/g;

/** The strong ETag of a version. */
export const etag = (versionId: unknown): string => `"${versionId}"`;

/** Whether If-None-Match names this version: `*`, or any of its tags, weak ones included (RFC 9110, 13.1.2). */
export function noneMatchHits(header: string, versionId: string): boolean {
  for (const [, , quoted, bare] of header.matchAll(TAG)) {
    if (bare === '*' || (quoted ?? bare) === versionId) return true;
  }
  return false;
}

/**
 * The strong tags of If-Match, quoted or not, and `*`, which any version matches.
 * Weak tags are left out because they never match (RFC 9110, 13.1.1), so the list may be empty.
 */
export function matchTags(header: string): string[] {
  const tags: string[] = [];
  for (const [, weak, quoted, bare] of header.matchAll(TAG)) {
    const tag = quoted ?? bare;
    if (weak === undefined && tag !== undefined) tags.push(tag);
  }
  return tags;
}
