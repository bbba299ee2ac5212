import { VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import { SHAPE_A_LISTS } from '../../model/data-api/data-api-job.ts';
import type { DataApiExtras, Entity, SentReference } from '../../model/entity/entity.ts';
import { type ReferencePath, referencePathsOf } from '../../model/fields/fields.ts';
import { MOST_ITEMS } from '../../model/fields/schema-parts.ts';
import { isObject, type Json, type JsonObject, orderlessText, pointer, sameJson, valueAt } from '../../model/json.ts';
import { type CatalogReference, referencesIn, withIds } from '../catalogs/catalog-reference.ts';
import { validatorOf } from '../validation/validators.ts';
import type { DocumentKind } from './document-kind.ts';
import {
  type AskedReferences,
  besideLists,
  type ListChange,
  sentInLists,
  withDerived,
  withListsFollowing,
} from './inspection-objects.ts';

/** A body in stored form, and the ids of the records it refers to. */
export interface BodyToStore {
  readonly body: JsonObject;
  readonly refs: Iterable<string>;
  readonly bridge?: DataApiExtras;
}

/** How the references of a body are found and stored. */
export interface StorageForm {
  readonly references: readonly ReferencePath[];
  /** The stored form of a body, given the record ids of its references. */
  toStored(body: JsonObject, ids: ReadonlyMap<CatalogReference, string>): BodyToStore;
  /** Violations beyond those of the type's schema and rules. */
  violations(body: JsonObject): Violation[];
}

const NO_VIOLATIONS = (): Violation[] => [];

/** References are replaced by record ids. Members other than id, xref and name are kept for the Data API (contract §13). */
export const resolvedForm = ({ references }: DocumentKind): StorageForm => ({
  references,
  toStored(body, ids) {
    const sent = sentExtras(ids, extrasByReference(ids.keys(), body));
    return { body: withIds(body, ids), refs: ids.values(), ...keptExtras(sent) };
  },
  violations: NO_VIOLATIONS,
});

/** For a document not created by the Data API, which shows it in Shape B. */
const NO_EXTRAS: DataApiExtras = { shape: 'B', references: [], kept: {}, quantity: null };

/** The reference members kept for the Data API, for a document that it did not create. */
export const keptExtras = (references: readonly SentReference[]): Pick<BodyToStore, 'bridge'> =>
  references.length === 0 ? {} : { bridge: { ...NO_EXTRAS, references } };

/** The members of references other than id, xref and name, in one body or many. */
export function extrasByReference(
  references: Iterable<CatalogReference>,
  sent: Json,
): ReadonlyMap<CatalogReference, JsonObject> {
  const extras = new Map<CatalogReference, JsonObject>();
  for (const reference of references) {
    const own = extrasOf(valueIn(sent, reference.place));
    if (own !== undefined) extras.set(reference, own);
  }
  return extras;
}

/** These extra members, with the record ids of their references. */
export const sentExtras = (
  ids: Iterable<readonly [CatalogReference, string]>,
  extras: ReadonlyMap<CatalogReference, JsonObject>,
): SentReference[] =>
  [...ids].flatMap(([reference, id]) => {
    const sent = extras.get(reference);
    return sent === undefined ? [] : { at: dotted(reference.place), id, sent };
  });

function extrasOf(reference: unknown): JsonObject | undefined {
  if (!isObject(reference)) return undefined;
  const { id: _id, xref: _xref, name: _name, ...extras } = reference;
  return Object.keys(extras).length === 0 ? undefined : extras;
}

/** Whether two forms of a document keep the same extra reference members. */
export const sameExtras = (one: DataApiExtras | undefined, other: DataApiExtras | undefined): boolean =>
  sameJson(shownExtras(one), shownExtras(other));

const shownExtras = (bridge: DataApiExtras | undefined): Json =>
  (bridge?.references ?? []).flatMap(({ at, id, sent }) => {
    const extras = extrasOf(sent);
    return extras === undefined ? [] : [[at, id, extras]];
  });

const dotted = (place: CatalogReference['place']): string => place.filter((step) => typeof step === 'string').join('.');

/** The storage form for a change of an existing document. */
export function storageFormOf(kind: DocumentKind, document: Entity, change: ListChange): StorageForm {
  const bridge = document.stored('bridge') as DataApiExtras | undefined;
  if (!bridge) return resolvedForm(kind);
  return document.workspaceId === null ? unresolvedForm(kind, bridge, change) : dataApiForm(kind, bridge, change);
}

const LIST_REFERENCES = referencePathsOf(SHAPE_A_LISTS.schema);

/** All reference paths of a job, including those in the lists of Shape A. */
export const dataApiReferences = ({ references }: DocumentKind, bridge: DataApiExtras | undefined) =>
  bridge?.shape === 'A' ? [...references, ...LIST_REFERENCES] : references;

/** A Data API job in a workspace: extra members of references are kept for the Data API. Without a change, it is a new job. */
export function dataApiForm(kind: DocumentKind, bridge: DataApiExtras, change?: ListChange): StorageForm {
  const references = dataApiReferences(kind, bridge);
  const isA = bridge.shape === 'A';
  return {
    references,
    toStored(body, ids) {
      const resolved = withIds(
        body,
        new Map(
          [...ids].map(([catalogReference, id]) => [
            inList(catalogReference) ? inObject(catalogReference) : catalogReference,
            id,
          ]),
        ),
      );
      const sent = isA && change ? [...bridge.references, ...sentInLists(change.old)] : bridge.references;
      const next = inShape(bridge, change, { resolved, asked: body, sent });
      const refs = referencesIn(references, next).flatMap(({ id }) => id ?? []);
      const beside = isA ? besideLists(next) : next;
      const isShown = ({ place }: CatalogReference) => valueIn(beside, place) !== undefined;
      const kept = keptStill(bridge, change, next);
      return {
        body: next,
        refs,
        bridge: { ...bridge, kept, references: sentReferences(sent, { body, ids, isShown }) },
      };
    },
    violations: isA && change ? (body) => listViolations(change.old, body) : NO_VIOLATIONS,
  };
}

/** A Data API job without a workspace: having no catalogs, its references stay as sent. */
export function unresolvedForm(kind: DocumentKind, bridge: DataApiExtras, change?: ListChange): StorageForm {
  const isA = bridge.shape === 'A';
  return {
    references: [],
    toStored(body) {
      const next = inShape(bridge, change, { resolved: body, asked: body, sent: [] });
      return { body: next, refs: [], bridge: { ...bridge, kept: keptStill(bridge, change, next) } };
    },
    violations: (body) => [
      ...(isA && change ? listViolations(change.old, body) : []),
      ...looseViolations(referencesIn(dataApiReferences(kind, bridge), body), body),
    ],
  };
}

/** The body with its lists and the members derived from them in sync. */
function inShape(
  { shape }: DataApiExtras,
  change: ListChange | undefined,
  { resolved, ...how }: AskedReferences & { readonly resolved: JsonObject },
): JsonObject {
  if (shape === 'B') return resolved;
  return change ? withListsFollowing(change, resolved, how) : withDerived(resolved);
}

/**
 * The Shape A members kept after a change: not those that another API changed, which are shown as they are. A placement, whose patch is
 * empty, changes none.
 */
function keptStill({ shape, kept }: DataApiExtras, change: ListChange | undefined, next: JsonObject): JsonObject {
  if (shape === 'B' || !change || Object.keys(change.patch).length === 0) return kept;
  const isChanged = (...path: string[]) => !sameJson(valueAt(change.old, path), valueAt(next, path));
  const { cargo, ...others } = kept;
  const still = filtered(others, (name) => !isChanged(name));
  if (!isObject(cargo)) return { ...still, ...(cargo !== undefined && { cargo }) };
  const isQuantityChanged = isChanged('cargo', 'quantity') || isChanged('cargo', 'uom');
  const isKept = (name: string) => !(name === 'quantity' ? isQuantityChanged : isChanged('cargo', name));
  return { ...still, cargo: filtered(cargo, isKept) };
}

const filtered = (members: JsonObject, isKept: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => isKept(name)));

/** The violations specific to a job without a workspace. */
function looseViolations(
  catalogReferences: readonly CatalogReference[],
  { workspace = null, parent = null }: JsonObject,
): Violation[] {
  const violations: Violation[] = catalogReferences
    .filter(({ id }) => id !== undefined)
    .slice(0, VIOLATIONS_SOUGHT)
    .map(({ place }) => ({
      path: pointer(place),
      message: 'cannot name a record by its id: the job is in no workspace, so that there are no catalogs.',
    }));
  if (workspace !== null) {
    violations.push({
      path: '/workspace',
      message: 'must be left out: the job is in no workspace, until placeJob of GraphQL puts it into one.',
    });
  }
  if (parent !== null) {
    violations.push({
      path: '/parent',
      message: 'must be left out: the job is in no workspace that it could share with another.',
    });
  }
  return violations;
}

const inList = ({ place }: CatalogReference): boolean => place[0] === 'inspectionObjects' || place[0] === 'cargoes';

/** In the lists of Shape A, the id is added to the object. */
const inObject = (catalogReference: CatalogReference): CatalogReference => ({
  ...catalogReference,
  place: [...catalogReference.place, 'id'],
});

interface ResolvedReferences {
  readonly body: JsonObject;
  readonly ids: ReadonlyMap<CatalogReference, string>;
  /** Whether the Data API shows the reference at its place, and not only in a list. */
  isShown(reference: CatalogReference): boolean;
}

/** The references as sent, by place; earlier ones are kept while the record is the same. */
function sentReferences(before: readonly SentReference[], { body, ids, isShown }: ResolvedReferences): SentReference[] {
  const left = Map.groupBy(before, recordAt);
  return [...ids].flatMap(([catalogReference, id]) => {
    const at = dotted(catalogReference.place);
    if (inList(catalogReference) || !isShown(catalogReference)) return [];
    const before = left.get(recordAt({ at, id }))?.shift();
    const asked = valueIn(body, catalogReference.place);
    if (!isObject(asked)) return before ?? [];
    return { at, id, sent: { ...before?.sent, ...asked } };
  });
}

/** One key for a record in one place of a body. */
export const recordAt = ({ at, id }: Pick<SentReference, 'at' | 'id'>): string => `${at} ${id}`;

const valueIn = (body: Json, place: CatalogReference['place']): unknown =>
  place.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], body);

/** Violations in the Shape A lists that a change sets: every item must be complete unless it is already stored as is. */
function listViolations(old: JsonObject, body: JsonObject): Violation[] {
  return ['inspectionObjects', 'cargoes'].flatMap((name) => {
    const list = body[name] ?? null;
    if (!(name in body) || sameJson(old[name], list)) return [];
    if (!Array.isArray(list) || list.length > MOST_ITEMS)
      return validatorOf(SHAPE_A_LISTS).violations({ [name]: list }, false);
    const stored = new Set(Array.isArray(old[name]) ? old[name].map(orderlessText) : []);
    const places = [...list.keys()].filter((place) => !stored.has(orderlessText(list[place])));
    const items = places.map((place) => list[place] ?? null);
    const found = validatorOf(SHAPE_A_LISTS).violations({ [name]: items }, false);
    return found.map((violation) => {
      if (!('path' in violation)) return violation;
      const [, , index, ...rest] = violation.path.split('/');
      return { ...violation, path: ['', name, places[Number(index)], ...rest].join('/') };
    });
  });
}
