/** A time log as first stored by the service: without the keys its migration adds. */
export const timelog = (index: number) => ({
  _id: `timelog ${String(index).padStart(6, '0')}`,
  workspace: 'somewhere',
  type: 'svc.inspection.timelog',
  readers: [],
  version_id: `version ${index}`,
  revision: 1,
  parent_id: null,
  created_by: 'somebody',
  created_at: new Date(0),
  modified_by: 'somebody',
  modified_at: new Date(0),
  body: { start: '2026-05-04T09:00:00+02:00' },
  refs: [],
  keys: {},
});
