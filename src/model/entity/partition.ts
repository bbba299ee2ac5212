const TENANT = 'tenant ';

/** The ids of workspaces sort before it, the partitions of tenants do not. */
export const END_OF_WORKSPACES = TENANT;

/** The partition of documents without a workspace: one per tenant, stored in place of the workspace. */
export const tenantPartition = (tenant: string): string => TENANT + tenant;

/** The tenant of such a partition. */
export const tenantOfPartition = (partition: string): string => partition.slice(TENANT.length);

/** Whether a partition is that of a tenant rather than a workspace. */
export const isTenantPartition = (partition: string): boolean => partition.startsWith(TENANT);
