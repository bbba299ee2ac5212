import type { SentReference } from '../../model/entity/entity.ts';
import { isObject, type Json, type JsonObject, orderlessText, sameJson } from '../../model/json.ts';

/**
 * Shape A holds the vessels, the location and the product in lists; the other APIs see them as `transports`, `location` and
 * `cargo.product` (contract §11). The functions here keep the two in sync. A reference is an object in the lists; elsewhere it is its
 * record id, or the same object if there is no workspace to resolve it in.
 */
type Reference = string | JsonObject;

const listed = (list: Json | undefined): readonly Json[] => (Array.isArray(list) ? list : []);

const objectsIn = (list: Json | undefined): JsonObject[] => listed(list).filter(isObject);

/** The form that a reference in a list has elsewhere in the body. */
function referenceOf(value: Json | undefined): Reference | undefined {
  if (!isObject(value)) return undefined;
  return typeof value.id === 'string' ? value.id : value;
}

const productOf = ({ cargo }: Members): Json | undefined => (isObject(cargo) ? cargo.product : undefined);

type Members = Readonly<Record<string, Json | undefined>>;

/** The values that the lists of a body imply for the members seen by the other APIs. */
function saidBy({ inspectionObjects, cargoes }: Members) {
  const inspected = objectsIn(inspectionObjects);
  const transports = inspected.map(({ object }) => referenceOf(object)).filter((one) => one !== undefined);
  return {
    location: referenceOf(inspected[0]?.location),
    transports: transports.length > 0 ? transports : undefined,
    product: referenceOf(objectsIn(cargoes)[0]?.product),
  };
}

/** The body without the members that its lists already imply. */
export function besideLists(body: Members): JsonObject {
  const said = saidBy(body);
  const { location, transports, cargo, ...rest } = body;
  const isSaid = sameJson(productOf(body), said.product);
  return Object.assign(
    rest as JsonObject, // copied once: it may have very many members
    location !== undefined && !sameJson(location, said.location) && { location },
    transports !== undefined && !sameJson(transports, said.transports) && { transports },
    withProduct(cargo, isSaid ? undefined : productOf(body)),
  );
}

/** The body with these members derived from its lists. */
export function withDerived(body: JsonObject): JsonObject {
  const { location: _location, transports: _transports, cargo, ...rest } = body;
  const { location, transports, product } = saidBy(body);
  return {
    ...rest,
    ...(location !== undefined && { location }),
    ...(transports !== undefined && { transports }),
    ...withProduct(cargo, product),
  } as JsonObject;
}

/** The cargo with this product; omitted if it would be empty. */
function withProduct(cargo: Json | undefined, product: Json | undefined): { cargo?: Json } {
  const { product: _product, ...others } = isObject(cargo) ? cargo : {};
  const next = { ...others, ...(product !== undefined && { product }) };
  return Object.keys(next).length > 0 ? { cargo: next } : {};
}

/** The references in the lists of Shape A, with the places where the other APIs have them. */
export function sentInLists({ inspectionObjects, cargoes }: JsonObject): SentReference[] {
  const sentAt =
    (at: string) =>
    (sent: Json | undefined): SentReference[] =>
      isObject(sent) && typeof sent.id === 'string' ? [{ at, id: sent.id, sent }] : [];
  const inspected = objectsIn(inspectionObjects);
  return [
    ...inspected.map(({ object }) => object).flatMap(sentAt('transports')),
    ...inspected.map(({ location }) => location).flatMap(sentAt('location')),
    ...objectsIn(cargoes)
      .map(({ product }) => product)
      .flatMap(sentAt('cargo.product')),
  ];
}

/** A change of a job of Shape A. */
export interface ListChange {
  readonly old: JsonObject;
  readonly patch: JsonObject;
}

/** The references of a change, as requested. */
export interface AskedReferences {
  /** The body as requested, in which a new reference may be an object with more members than an id. */
  readonly asked: JsonObject;
  /** References as they were sent before. */
  readonly sent: readonly SentReference[];
}

/**
 * The body after a change: vessels, location and product take the patch's value where it changes them, and all else stays. If the patch
 * changes the lists, these members follow; if it changes the members, the lists follow, as far as their items are complete. A value that
 * the patch repeats unchanged counts as left out: whoever sends a whole job back has changed only what differs. Extra members of a
 * reference go into the items of its record.
 */
export function withListsFollowing({ old, patch }: ListChange, next: JsonObject, how: AskedReferences): JsonObject {
  const sets = (list: string): boolean => Object.hasOwn(patch, list) && !sameJson(old[list], next[list]);
  const isNamed = {
    location: !sameJson(old.location, next.location),
    transports: !sameJson(old.transports, next.transports),
    product: !sameJson(productOf(old), productOf(next)),
  };
  const said = saidBy(next);
  const areVesselsSet = sets('inspectionObjects');
  const { location: _location, transports: _transports, cargo, inspectionObjects, cargoes, ...rest } = next;
  const location = areVesselsSet && !isNamed.location ? said.location : next.location;
  const transports = areVesselsSet && !isNamed.transports ? said.transports : next.transports;
  const product = sets('cargoes') && !isNamed.product ? said.product : productOf(next);
  const inspected =
    isNamed.location || isNamed.transports
      ? inspectionsOf(
          { old, location, transports, isLocationNamed: isNamed.location },
          objectsIn(inspectionObjects),
          how,
        )
      : inspectionObjects;
  const shipped = isNamed.product ? cargoesOf({ old, product }, objectsIn(cargoes), how) : cargoes;
  const askedVessels = listed(how.asked.transports);
  const vessels = listed(next.transports).map((record, index) => ({ record, asked: askedVessels[index] }));
  const place = { record: next.location, asked: how.asked.location };
  const goods = { record: productOf(next), asked: productOf(how.asked) };
  return {
    ...rest,
    ...listOf('inspectionObjects', inEach(inFirst(inspected, 'location', place), 'object', vessels), inspectionObjects),
    ...listOf('cargoes', inFirst(shipped, 'product', goods), cargoes),
    ...(location !== undefined && { location }),
    ...(transports !== undefined && { transports }),
    ...withProduct(cargo, product),
  } as JsonObject;
}

/** A reference as requested, and the record it was resolved to. */
interface ResolvedReference {
  readonly record: Json | undefined;
  readonly asked: Json | undefined;
}

/** An item that names the record, with the requested members besides id, xref and name; any other item unchanged. */
function withMembers(item: Json, name: string, { record, asked }: ResolvedReference): Json {
  const reference = isObject(item) ? item[name] : undefined;
  if (!isObject(item) || !isObject(reference) || !isObject(asked) || !sameJson(referenceOf(reference), record))
    return item;
  const { id: _id, xref: _xref, name: _name, ...members } = asked;
  return { ...item, [name]: { ...reference, ...members } };
}

/** The list with the requested members in its first item. */
const inFirst = (list: Json | undefined, name: string, reference: ResolvedReference): Json | undefined =>
  Array.isArray(list) ? list.map((item, index) => (index === 0 ? withMembers(item, name, reference) : item)) : list;

/** The list with the requested members in its items; if several references name one record, in their order. */
function inEach(list: Json | undefined, name: string, references: readonly ResolvedReference[]): Json | undefined {
  if (!Array.isArray(list)) return list;
  const left = Map.groupBy(references, ({ record }) => orderlessText(record));
  return list.map((item) => {
    const reference = isObject(item) && left.get(orderlessText(referenceOf(item[name])))?.shift();
    return reference ? withMembers(item, name, reference) : item;
  });
}

/** The list as a member, unless it is empty and was absent before. */
const listOf = (name: string, list: Json | undefined, before: Json | undefined): JsonObject =>
  list === undefined || (before === undefined && objectsIn(list).length === 0) ? {} : { [name]: list };

/** Converts a reference to the form used in lists, with the members sent alongside it. */
function inListForm(at: string, sent: readonly SentReference[]) {
  const before = new Map(sent.toReversed().map((one) => [`${one.at} ${one.id}`, one.sent]));
  return (reference: Json | undefined, asked: Json | undefined): JsonObject | undefined => {
    if (isObject(reference)) return reference;
    if (typeof reference !== 'string') return undefined;
    return { ...before.get(`${at} ${reference}`), ...(isObject(asked) && asked), id: reference };
  };
}

interface NamedVessels {
  readonly old: JsonObject;
  readonly location: Json | undefined;
  readonly transports: Json | undefined;
  readonly isLocationNamed: boolean;
}

/**
 * An inspection object for each vessel: its own if it has one, otherwise that of the vessel it replaces. A vessel without a location, or
 * whose location is removed, gets none.
 */
function inspectionsOf(
  { old, location, transports, isLocationNamed }: NamedVessels,
  inspected: readonly JsonObject[],
  { asked, sent }: AskedReferences,
): JsonObject[] {
  const vessels = listed(transports);
  const place = inListForm('location', sent)(location, asked.location);
  const vesselForm = inListForm('transports', sent);
  const left = new Set(inspected.keys());
  const byVessel = Map.groupBy(left, (index) => orderlessText(referenceOf(inspected[index]?.object)));
  const own = vessels.map((vessel) => {
    const index = byVessel.get(orderlessText(vessel))?.shift();
    if (index !== undefined) left.delete(index);
    return index;
  });
  const following = vessels.map((vessel, index) => {
    const found = own[index];
    const mine = found === undefined ? undefined : inspected[found];
    if (mine) return mine;
    const taken = left.has(index) ? inspected[index] : place && { location: place };
    const object = vesselForm(vessel, listed(asked.transports)[index]);
    return { ...taken, ...(object && { object }) } as JsonObject;
  });
  const [first, ...others] = following;
  const isComplete = (item: JsonObject): boolean => isObject(item.object) && isObject(item.location);
  if (!first || !isLocationNamed) return following.filter(isComplete);
  if (place) return [inStep(first, 'location', place), ...others].filter(isComplete);
  const isRemoved = sameJson(referenceOf(first.location), old.location);
  return (isRemoved ? others : following).filter(isComplete);
}

/** The cargoes with this product in the first one, unless that had another product; without the first if its product is removed. */
function cargoesOf(
  { old, product }: { readonly old: JsonObject; readonly product: Json | undefined },
  cargoes: readonly JsonObject[],
  { asked, sent }: AskedReferences,
): readonly JsonObject[] {
  const [first, ...others] = cargoes;
  if (!first || !sameJson(referenceOf(first.product), productOf(old))) return cargoes;
  const next = inListForm('cargo.product', sent)(product, productOf(asked));
  return next ? [inStep(first, 'product', next), ...others] : others;
}

/** The item with this reference; unchanged if it names the same record. */
const inStep = (item: JsonObject, name: string, value: JsonObject): JsonObject =>
  sameJson(referenceOf(item[name]), referenceOf(value)) ? item : { ...item, [name]: value };
