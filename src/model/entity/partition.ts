const TENANT = 'tenant ';

/** Where a document without a workspace is stored: a place of its tenant, where the workspace stands otherwise. */
export const tenantPartition = (tenant: string): string => TENANT + tenant;

/** Tells such a place from a workspace. */
export const isTenantPartition = (home: string): boolean => home.startsWith(TENANT);
