const TAG = /(W\/)?"([^"]*)"|(\*|[^\s,"]+)/g;

/** The suffix of a compressed response's tag: the same version in other bytes. */
const ENCODED = /-(?:gzip|br|deflate)$/;

/** The strong ETag of a version. */
export const etag = (versionId: unknown): string => `"${versionId}"`;

/** The tag of the same version in a compressed response. */
export const encodedTag = (tag: string, encoding: string): string => tag.replace(/"$/, `-${encoding}"`);

/**
 * The tag in If-None-Match that matches this version, including weak tags (RFC 9110, 13.1.2) and those of compressed
 * responses; undefined if none does.
 */
export function noneMatchHit(header: string, versionId: string): string | undefined {
  for (const [, , quoted, bare] of header.matchAll(TAG)) {
    const tag = quoted ?? bare ?? '';
    if (bare === '*') return etag(versionId);
    if (tag.replace(ENCODED, '') === versionId) return etag(tag);
  }
  return undefined;
}

/** The versions that If-None-Match names, weak tags included, and `*`, which any version matches. */
export const noneMatchTags = (header: string): string[] =>
  [...header.matchAll(TAG)].map(([, , quoted, bare]) => versionOf(quoted ?? bare ?? ''));

/**
 * The versions of the strong tags of If-Match, quoted or not, and `*`, which any version matches.
 * Weak tags are left out because they never match (RFC 9110, 13.1.1), so the list may be empty.
 */
export function matchTags(header: string): string[] {
  const tags: string[] = [];
  for (const [, weak, quoted, bare] of header.matchAll(TAG)) {
    const tag = quoted ?? bare;
    if (weak === undefined && tag !== undefined) tags.push(versionOf(tag));
  }
  return tags;
}

/** Whether If-Match names other versions than this one (RFC 9110, 13.1.1). */
export function isMatchFailed(header: string | undefined, versionId: string): boolean {
  if (header === undefined) return false;
  const tags = matchTags(header);
  return !tags.includes('*') && !tags.includes(versionId);
}

const versionOf = (tag: string): string => tag.replace(ENCODED, '');
