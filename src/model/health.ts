/** The health of the two stores: "healthy", or what is wrong (interface, "Data API: health report"). */
export interface HealthReport {
  readonly metadataStore: string;
  readonly dataStore: string;
}

export const HEALTHY = 'healthy';
