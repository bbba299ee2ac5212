import { isObject, type Json, type JsonObject, sameJson } from '../../model/json.ts';

/**
 * In Shape A the vessels, the location and the product stand in lists; the job that other families see has them as
 * `transports`, `location` and `cargo.product` (contract §11). Here each side follows the other. A reference stands in
 * the lists as an object, elsewhere as its record id, or as the same object where there is no workspace to resolve it.
 */
type Reference = string | JsonObject;

const objectsIn = (list: Json | undefined): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** What stands elsewhere for a reference in a list. */
function referenceOf(value: Json | undefined): Reference | undefined {
  if (!isObject(value)) return undefined;
  return typeof value.id === 'string' ? value.id : value;
}

/** The body without the members that come from the lists. */
export function withoutDerived(body: Readonly<Record<string, Json | undefined>>): JsonObject {
  const { location: _location, transports: _transports, cargo, ...rest } = body;
  if (!isObject(cargo)) return rest as JsonObject;
  const { product: _product, ...others } = cargo;
  return { ...rest, ...(Object.keys(others).length > 0 && { cargo: others }) } as JsonObject;
}

/** The body with the members that come from the lists. */
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
 * The body after a change by another family: where it changed the vessels, the location or the product, the lists
 * follow. `asked` is the body as it was asked for, where a new reference may be an object that says more than its id.
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

/** A reference as it stands in a list. */
function asObject(reference: Json | undefined, asked: Json | undefined): JsonObject | undefined {
  if (isObject(reference)) return reference;
  return typeof reference === 'string' ? { ...(isObject(asked) && asked), id: reference } : undefined;
}

/** The list with another reference in its first item, which is made where there is none. */
function withFirst(list: readonly JsonObject[], name: string, value: JsonObject | undefined): JsonObject[] {
  const [first, ...rest] = list;
  if (value) return [{ ...first, [name]: value }, ...rest];
  if (!first) return [];
  const { [name]: _gone, ...others } = first;
  return [others as JsonObject, ...rest];
}

/** One inspection object for each vessel: its own where it has one, else that of the vessel whose place it takes. */
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
