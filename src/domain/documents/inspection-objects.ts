import { isObject, type Json, type JsonObject, sameJson } from '../../model/json.ts';

/**
 * Shape A has the vessels, the location and the product in lists; the other APIs see them as `transports`, `location` and
 * `cargo.product` (contract §11). The functions here keep the two in step. A reference is an object in the lists, and elsewhere its
 * record id, or the same object if there is no workspace to resolve it in.
 */
type Reference = string | JsonObject;

const objectsIn = (list: Json | undefined): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** The form that a reference in a list has elsewhere in the body. */
function referenceOf(value: Json | undefined): Reference | undefined {
  if (!isObject(value)) return undefined;
  return typeof value.id === 'string' ? value.id : value;
}

/** The body without the members derived from the lists. */
export function withoutDerived(body: Readonly<Record<string, Json | undefined>>): JsonObject {
  const { location: _location, transports: _transports, cargo, ...rest } = body;
  if (!isObject(cargo)) return rest as JsonObject;
  const { product: _product, ...others } = cargo;
  return { ...rest, ...(Object.keys(others).length > 0 && { cargo: others }) } as JsonObject;
}

/** The body with the members derived from the lists. */
export function withDerived(body: JsonObject): JsonObject {
  const inspected = objectsIn(body.inspectionObjects);
  const transports = inspected.map(({ object }) => referenceOf(object)).filter((one) => one !== undefined);
  const location = referenceOf(inspected[0]?.location);
  const product = referenceOf(objectsIn(body.cargoes)[0]?.product);
  const rest = withoutDerived(body);
  return {
    ...rest,
    ...(location !== undefined && { location }),
    ...(transports.length > 0 && { transports }),
    ...(product !== undefined && { cargo: { ...(isObject(rest.cargo) && rest.cargo), product } }),
  };
}

/**
 * The body after a change by another API: if it changed the vessels, the location or the product, the lists are
 * updated. `asked` is the body as requested, in which a new reference may be an object with more members than an id.
 */
export function withListsFollowing(old: JsonObject, next: JsonObject, asked: JsonObject): JsonObject {
  const changed = (path: (body: JsonObject) => Json | undefined) => !sameJson(path(old) ?? null, path(next) ?? null);
  let inspected = objectsIn(next.inspectionObjects);
  let cargoes = objectsIn(next.cargoes);
  if (changed(({ transports }) => transports)) inspected = withObjects(inspected, next.transports, asked.transports);
  if (changed(({ location }) => location)) {
    inspected = withFirst(inspected, 'location', asObject(next.location, asked.location));
  }
  if (changed(productOf)) cargoes = withFirst(cargoes, 'product', asObject(productOf(next), productOf(asked)));
  return withDerived({
    ...next,
    ...(('inspectionObjects' in next || inspected.length > 0) && { inspectionObjects: inspected }),
    ...(('cargoes' in next || cargoes.length > 0) && { cargoes }),
  });
}

const productOf = ({ cargo }: JsonObject): Json | undefined => (isObject(cargo) ? cargo.product : undefined);

/** A reference in the form that lists have. */
function asObject(reference: Json | undefined, asked: Json | undefined): JsonObject | undefined {
  if (isObject(reference)) return reference;
  return typeof reference === 'string' ? { ...(isObject(asked) && asked), id: reference } : undefined;
}

/** The list with another reference in its first item, which is added if the list is empty. */
function withFirst(list: readonly JsonObject[], name: string, value: JsonObject | undefined): JsonObject[] {
  const [first, ...rest] = list;
  if (value) return [{ ...first, [name]: value }, ...rest];
  if (!first) return [];
  const { [name]: _gone, ...others } = first;
  return [others as JsonObject, ...rest];
}

/** One inspection object for each vessel: its own if it has one, otherwise that of the vessel it replaces. */
function withObjects(
  inspected: readonly JsonObject[],
  transports: Json | undefined,
  asked: Json | undefined,
): JsonObject[] {
  const vessels = Array.isArray(transports) ? transports : [];
  const left = new Set(inspected.keys());
  const own = vessels.map((vessel) => {
    const index = [...left].find((one) => sameJson(referenceOf(inspected[one]?.object) ?? null, vessel));
    if (index !== undefined) left.delete(index);
    return index;
  });
  return vessels.map((vessel, index) => {
    const found = own[index];
    const mine = found === undefined ? undefined : inspected[found];
    if (mine) return mine;
    const taken = left.has(index)
      ? inspected[index]
      : { ...(inspected[0]?.location && { location: inspected[0].location }) };
    const object = asObject(vessel, Array.isArray(asked) ? asked[index] : undefined);
    return { ...taken, ...(object && { object }) };
  });
}
