import type { DataApiShape } from '../../model/data-api/data-api-job.ts';
import type { DataApiExtras, Entity } from '../../model/entity/entity.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { besideLists } from '../documents/inspection-objects.ts';
import { recordAt } from '../documents/storage-form.ts';
import type { ShownRecords } from './shown-records.ts';

type Members = Readonly<Record<string, Json | undefined>>;

/** A Data API body taken apart: the form of the other families, its references as sent, and the rest. */
interface Adopted {
  readonly body: JsonObject;
  readonly bridge: DataApiExtras;
}

/** Takes a Data API body apart. */
export function adopted(shape: DataApiShape, sent: JsonObject): Adopted {
  if (shape === 'A') {
    const { location, transports, cargo, ...body } = sent;
    const kept = given({ location, transports, cargo });
    return { body: given(body), bridge: { shape, references: [], kept, quantity: null } };
  }
  if (!isObject(sent.cargo)) return { body: sent, bridge: { shape, references: [], kept: {}, quantity: null } };
  const { quantity, uom: keptUom, ...cargo } = sent.cargo;
  const kept = keptUom === undefined ? {} : { cargo: { uom: keptUom } };
  if (!isObject(quantity)) {
    const body = { ...sent, cargo: given({ ...cargo, quantity }) };
    return { body, bridge: { shape, references: [], kept, quantity: null } };
  }
  const { value, uom, ...rest } = quantity;
  const body = { ...sent, cargo: given({ ...cargo, quantity: value, uom }) };
  return { body, bridge: { shape, references: [], kept, quantity: rest as JsonObject } };
}

/** A job as the Data API shows it: in the shape it was created in, with references as objects. What is undefined is not shown. */
export function shown(job: Entity, records: ShownRecords | undefined): Members {
  const { shape, references, kept, quantity } = (job.stored('bridge') as DataApiExtras | undefined) ?? NO_EXTRAS;
  const left = Map.groupBy(references, recordAt);
  const reference =
    (at: string) =>
    (value: Json): Json => {
      if (!records) return isObject(value) ? { ...value, id: null } : value;
      if (typeof value !== 'string') return joined(value, records);
      const before = left.get(recordAt({ at, id: value }))?.shift();
      return joined({ ...before?.sent, id: value }, records);
    };
  const body = JSON.parse(job.body.text) as Members; // of its own, and faster than decoding the BSON
  const members: Record<string, Json | undefined> = shape === 'A' ? besideLists(body) : body; // never copied: it may have very many
  const parties = {
    client: mapped(members.client, reference('client')),
    vendor: mapped(members.vendor, reference('vendor')),
  };
  const cargo = cargoShown(members.cargo, quantity, reference);
  const common = {
    ...parties,
    location: mapped(members.location, reference('location')),
    transports: mappedItems(members.transports, reference('transports')),
  };
  members.workspace = undefined;
  if (shape === 'B') {
    return Object.assign(
      members,
      given({ ...common, cargo: isObject(cargo) && isObject(kept.cargo) ? { ...cargo, ...kept.cargo } : cargo }),
    );
  }
  const nested = (value: Json) => (records ? joined(value, records) : reference('')(value));
  return Object.assign(
    members,
    kept,
    given(common),
    cargo !== undefined && { cargo: isObject(kept.cargo) ? { ...kept.cargo, ...(cargo as JsonObject) } : cargo },
    given({
      inspectionObjects: mappedItems(members.inspectionObjects, (item) =>
        isObject(item)
          ? given({ ...item, object: mapped(item.object, nested), location: mapped(item.location, nested) })
          : item,
      ),
      cargoes: mappedItems(members.cargoes, (item) =>
        isObject(item)
          ? given({ ...item, product: mapped(item.product, nested), volume: volumeShown(item.volume, nested) })
          : item,
      ),
    }),
  );
}

/** Jobs created by the other families are shown in Shape B. */
const NO_EXTRAS: DataApiExtras = { shape: 'B', references: [], kept: {}, quantity: null };

/** `quantity` and `uom` of the other APIs form a single object here. */
function cargoShown(
  cargo: Json | undefined,
  sent: JsonObject | null,
  reference: (at: string) => (value: Json) => Json,
): Json | undefined {
  if (!isObject(cargo)) return cargo;
  const { product, quantity, uom, ...rest } = cargo as Members;
  const whole = sent !== null || uom !== undefined || typeof quantity === 'number';
  return given({
    ...rest,
    product: mapped(product, reference('cargo.product')),
    quantity: whole ? given({ ...sent, value: quantity, uom: mapped(uom, reference('cargo.uom')) }) : quantity,
  });
}

const volumeShown = (volume: Json | undefined, nested: (value: Json) => Json): Json | undefined =>
  isObject(volume) ? given({ ...volume, uom: mapped(volume.uom, nested) }) : volume;

/** A reference with the record's current xref and name; unchanged if the record no longer exists. */
function joined(value: Json, records: ShownRecords): Json {
  const record = isObject(value) && typeof value.id === 'string' ? records.get(value.id) : undefined;
  if (!isObject(value) || !record) return value;
  const xref = record.at('xref');
  return { ...value, ...(typeof xref === 'string' && { xref }), name: record.at('name') as Json };
}

const mapped = (value: Json | undefined, change: (value: Json) => Json): Json | undefined =>
  value === undefined || value === null ? value : change(value);

const mappedItems = (value: Json | undefined, change: (value: Json) => Json): Json | undefined =>
  Array.isArray(value) ? value.map(change) : value;

/** The members that have a value; if all of them do, the object itself, which was created for this call. */
function given(members: Members): JsonObject {
  for (const name in members) {
    if (members[name] !== undefined) continue;
    return Object.fromEntries(
      Object.entries(members).filter((member): member is [string, Json] => member[1] !== undefined),
    );
  }
  return members as JsonObject;
}
