import {
  type ConstValueNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { eachNode } from '../execution/nodes.ts';
import { fragmentsOf } from '../execution/operation-of.ts';

/** The limits on the text of a document, independent of the schema (contract §11). */
export interface DocumentLimits {
  /** The depth of nested fields, with fragments expanded. */
  readonly maxDepth: number;
  /** The number of aliased fields, counted at each spread of their fragment. */
  readonly maxAliases: number;
}

/** Limits that keep validation fast: it compares fields of one name, and fragments, pairwise. */
const MAX_DIRECTIVES = 50;
const MAX_REPEATS = 50;
const MAX_FRAGMENTS = 200;
/** How deep lists and objects in a literal may nest, as in variables. */
const MAX_NESTING = 80;
/** The maximum length of names and enum values, here and in variables: errors quote them, and compare wrong ones with all valid ones. */
export const MAX_NAME = 200;

/** The upper bound of counts, which may double with each fragment. */
const COUNTLESS = Number.MAX_SAFE_INTEGER;

interface Measure {
  readonly depth: number;
  readonly aliases: number;
}

const NOTHING: Measure = { depth: 0, aliases: 0 };

/**
 * The limits that a document exceeds, as sentences; empty if it is within all of them. Each fragment is measured once,
 * so the time is linear in the text, and a cycle of fragments (which validation rejects) terminates.
 */
export function documentViolations(document: DocumentNode, { maxDepth, maxAliases }: DocumentLimits): string[] {
  const violations = floods(document);
  const measure = measurer(document);
  let deepest = 0;
  let mostAliases = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, aliases } = measure(definition.selectionSet);
    deepest = Math.max(deepest, depth);
    mostAliases = Math.max(mostAliases, aliases);
  }
  if (deepest > maxDepth) {
    violations.push(`The operation is ${deepest} fields deep; at most ${maxDepth} are allowed.`);
  }
  if (mostAliases > maxAliases) {
    violations.push(`The operation has ${counted(mostAliases)} aliases; at most ${maxAliases} are allowed.`);
  }
  return violations;
}

const counted = (count: number): string => (count === COUNTLESS ? 'countless' : String(count));

/** Measures selections, fragments included; each fragment is walked once. */
function measurer(document: DocumentNode): (set: SelectionSetNode) => Measure {
  const fragments = fragmentsOf(document);
  const measured = new Map<string, Measure>();

  const ofFragment = (name: string): Measure => {
    const known = measured.get(name);
    if (known) return known;
    measured.set(name, NOTHING); // while being measured: a cycle adds nothing
    const fragment = fragments[name];
    const measure = fragment ? ofSet(fragment.selectionSet) : NOTHING;
    measured.set(name, measure);
    return measure;
  };
  const ofField = ({ alias, selectionSet }: FieldNode): Measure => {
    const below = selectionSet ? ofSet(selectionSet) : NOTHING;
    return { depth: below.depth + 1, aliases: below.aliases + (alias ? 1 : 0) };
  };
  const ofSet = ({ selections }: SelectionSetNode): Measure => {
    let { depth, aliases } = NOTHING;
    for (const selection of selections) {
      const each =
        selection.kind === Kind.FIELD
          ? ofField(selection)
          : selection.kind === Kind.FRAGMENT_SPREAD
            ? ofFragment(selection.name.value)
            : ofSet(selection.selectionSet);
      depth = Math.max(depth, each.depth);
      aliases = Math.min(aliases + each.aliases, COUNTLESS);
    }
    return { depth, aliases };
  };
  return ofSet;
}

/** The constructs that only slow down validation: directives, repeated fields, fragments. */
function floods(document: DocumentNode): string[] {
  let directives = 0;
  let repeats = 0;
  let longestName = 0;
  let nesting = 0;
  eachNode(document, (node) => {
    if (node.kind === Kind.ARGUMENT) nesting = Math.max(nesting, nestingOf(node.value));
    if (node.kind === Kind.VARIABLE_DEFINITION && node.defaultValue)
      nesting = Math.max(nesting, nestingOf(node.defaultValue));
    if (node.kind === Kind.NAME || node.kind === Kind.ENUM) longestName = Math.max(longestName, node.value.length);
    if ('directives' in node) directives += node.directives?.length ?? 0;
    if (node.kind === Kind.SELECTION_SET) repeats = Math.max(repeats, mostRepeated(node));
  });
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  return [
    ...over(directives, MAX_DIRECTIVES, 'directives'),
    ...over(repeats, MAX_REPEATS, 'selections of one field in one place'),
    ...over(fragments, MAX_FRAGMENTS, 'fragments'),
    ...over(longestName, MAX_NAME, 'characters in one name'),
    ...over(nesting, MAX_NESTING, 'lists and objects of a literal inside each other'),
  ];
}

/** How many lists and objects of a literal are inside each other. */
function nestingOf(literal: ConstValueNode | ValueNode): number {
  if (literal.kind !== Kind.LIST && literal.kind !== Kind.OBJECT) return 0;
  const below = literal.kind === Kind.LIST ? literal.values : literal.fields.map(({ value }) => value);
  return 1 + below.reduce((most, each) => Math.max(most, nestingOf(each)), 0);
}

const over = (count: number, most: number, what: string): string[] =>
  count > most ? [`The document has ${count} ${what}; at most ${most} are allowed.`] : [];

function mostRepeated({ selections }: SelectionSetNode): number {
  const counts = new Map<string, number>();
  let most = 0;
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD) continue;
    const name = (selection.alias ?? selection.name).value;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    most = Math.max(most, count);
  }
  return most;
}
