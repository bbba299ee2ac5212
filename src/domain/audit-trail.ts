import { throwIfInvalid, type Violation } from '../errors.ts';
import { AUDIT_ACTIONS, isAuditAction, type RecordedEntry } from '../model/audit.ts';
import { DATETIME_FORMS, lastInstantOf, requestedInstantOf } from '../model/instant.ts';
import { isUuid } from '../model/uuid.ts';
import type { AuditFilter } from '../store/audit/audit-log.ts';
import { cursorViolations, parseMark, signatureOf, writeMark } from './lists/cursors.ts';
import { MAX_PAGE } from './lists/list-request.ts';
import { DEFAULT_PAGE, type Page } from './lists/page.ts';
import type { RequestContext } from './request/request-context.ts';
import { rangeViolations } from './validation/ranges.ts';

/** Selects lines of the audit log; both times are inclusive, and a `to` that is only a date includes that whole day. */
interface AuditRequest {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly from?: string | Date | null | undefined;
  readonly to?: string | Date | null | undefined;
  readonly action?: string | null | undefined;
  readonly entity?: string | null | undefined;
}

/** The audit log of the caller's tenant (contract §12), for the scope `admin`; read-only. */
export class AuditTrail {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  /** One page, newest line first. */
  async list(request: AuditRequest): Promise<Page<RecordedEntry>> {
    const { audit } = this.#ctx.adminStores();
    const filter = parseRequest(this.#ctx.tenant, request);
    const signature = signatureOf(['audit log', filter]);
    const before = request.after ? parseMark(signature, ['after', request.after]) : undefined;
    const size = request.first ?? DEFAULT_PAGE;
    const rows = await this.#ctx.reading((time) => audit.page(filter, { limit: size + 1, before, ...time }));
    return {
      nodes: rows.slice(0, size),
      hasNextPage: rows.length > size,
      hasPreviousPage: before !== undefined,
      cursorOf: ({ id }) => writeMark(signature, id),
      total: () => this.#ctx.reading((time) => audit.count(filter, time)),
    };
  }
}

function parseRequest(tenant: string, { first, after, from, to, action, entity }: AuditRequest): AuditFilter {
  const violations: Violation[] = [];
  type Time = string | Date | null | undefined;
  const instant = (parameter: string, value: Time, meant = requestedInstantOf): Date | undefined => {
    if (value === undefined || value === null || value instanceof Date) return value ?? undefined;
    const found = meant(value);
    if (!found) violations.push({ parameter, message: `must be ${DATETIME_FORMS}.` });
    return found;
  };
  const times = { from: instant('from', from), to: instant('to', to, lastInstantOf) };
  violations.push(...rangeViolations({ first }, [1, MAX_PAGE]));
  const named = action && isAuditAction(action) ? action : undefined;
  if (typeof action === 'string' && named === undefined) {
    violations.push({ parameter: 'action', message: `must be one of ${Object.keys(AUDIT_ACTIONS).join(', ')}.` });
  }
  if (typeof entity === 'string' && !isUuid(entity))
    violations.push({ parameter: 'entity', message: 'must be a UUID.' });
  violations.push(...cursorViolations({ after }, 1));
  throwIfInvalid(violations);
  return { tenant, ...times, action: named, entity: entity?.toLowerCase() };
}
