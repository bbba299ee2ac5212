import { invalidInput, type Violation } from '../../src/errors.ts';
import type { Gateway, Operation } from '../../src/gateway.ts';
import { parseQuery } from '../../src/http/query-string.ts';
import type { Exchange } from '../exchange.ts';
import { placedIn } from '../replies/compile-reply.ts';
import type { CompiledSources } from '../sources/compile-sources.ts';
import type { Binding } from '../sources/source-kind.ts';
import type { Step } from './step.ts';

/** What binding the variables of an operation takes. */
interface Parts {
  readonly gateway: Pick<Gateway, 'refusalOf'>;
  readonly operation: Operation;
  readonly sources: CompiledSources;
  /** The context of the operation, opened on first use. */
  contextOf(exchange: Exchange): ReturnType<Gateway['open']>;
}

/** Binds the query string. */
export const bindQuery =
  (parts: Parts): Step =>
  (exchange) => {
    const { sources } = parts;
    const broken: Violation[] = [];
    exchange.query = parseQuery(exchange.queryText, broken);
    exchange.binding = sources.bindQuery(exchange);
    const { violations } = exchange.binding;
    violations.unshift(...broken);
    if (violations.length === 0) return;
    sources.bindPath(exchange, exchange.binding);
    return refuse(exchange, parts);
  };

/** Binds the path and the body. */
export const bindRequest =
  (parts: Parts): Step =>
  (exchange) => {
    const { binding } = exchange;
    parts.sources.bindRequest(exchange, binding);
    if (binding.violations.length > 0) return refuse(exchange, parts);
    throwIfUnknown(binding);
  };

/** Rejects the request with all violations found so far, and those that the operation finds in what could be bound. */
async function refuse(exchange: Exchange, { gateway, operation, sources, contextOf }: Parts): Promise<never> {
  const { binding } = exchange;
  const refusal = await gateway.refusalOf(operation, binding.variables, contextOf(exchange));
  const refused = new Set(binding.violations.flatMap(pathsOf));
  const others = (refusal?.errors ?? [])
    .map((violation) => placedIn(binding, sources.places, violation))
    .filter((violation) => !pathsOf(violation).some((path) => refused.has(path)));
  throw invalidInput([...binding.violations, ...others], refusal?.errorsOmitted);
}

const pathsOf = (violation: Violation): string[] => ('path' in violation ? [violation.path] : []);

/** Rejects a path with a parameter that cannot exist. */
export function throwIfUnknown({ unknown }: Binding): void {
  if (unknown) throw unknown;
}
