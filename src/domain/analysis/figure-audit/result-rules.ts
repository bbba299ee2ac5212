import { type AuditFacts, eachOf, type RuleOutcome } from './audit-facts.ts';

/** All requested results are there when the job is complete. */
export function requestedResultMissing<T>({ job, isComplete, requested }: AuditFacts<T>): RuleOutcome<T> {
  return eachOf(isComplete ? requested : [], ({ kind, isThere }) =>
    isThere ? [] : [{ document: job, message: `The job is complete, and the ${kind} that was requested is missing.` }],
  );
}

/** An off-specification result was retested. */
export function offSpecificationWithoutRetest<T>({ qualities }: AuditFacts<T>): RuleOutcome<T> {
  return eachOf(qualities, ({ document, isOff, hasLaterResult }) => {
    if (isOff === undefined) return undefined;
    const message = 'The result is off specification, and was not tested again.';
    return isOff && !hasLaterResult ? [{ document, message }] : [];
  });
}

/** The laboratory's verdict agrees with the limits of the job's specification. */
export function specificationDisagrees<T>({ qualities }: AuditFacts<T>): RuleOutcome<T> {
  return eachOf(qualities, ({ document, isOffSpec, conformity, limit, value }) => {
    if (conformity === null || isOffSpec === undefined) return undefined;
    const disagrees = (conformity === 'FAILS' && !isOffSpec) || (conformity === 'MEETS' && isOffSpec);
    const message =
      conformity === 'FAILS'
        ? 'The result fails the specification, and is reported as meeting it.'
        : 'The result meets the specification, and is reported as off specification.';
    return disagrees ? [{ document, message, expected: limit, actual: value }] : [];
  });
}

/** An active shore tank is named. */
export function activeShoreTank<T>({ quantities }: AuditFacts<T>): RuleOutcome<T> {
  return eachOf(quantities, ({ document, activeShoreTank }) => {
    if (activeShoreTank === undefined) return undefined;
    const message = 'The shore tank was active while it was measured, which makes its figure less certain.';
    return activeShoreTank ? [{ document, message }] : [];
  });
}
