const TENANT = 'tenant ';

/** Workspace ids sort before this; partitions of tenants do not. */
export const END_OF_WORKSPACES = TENANT;

/** The partition of documents without a workspace: one per tenant, stored in place of the workspace. */
export const tenantPartition = (tenant: string): string => TENANT + tenant;

/** The tenant of a tenant's partition. */
export const tenantOfPartition = (partition: string): string => partition.slice(TENANT.length);

/** Whether a partition belongs to a tenant rather than a workspace. */
export const isTenantPartition = (partition: string): boolean => partition.startsWith(TENANT);
