import type { Entity } from '../src/model/entity/entity.ts';
import { type Coordinates, coordinatesOf } from '../src/model/reference-data/coordinates.ts';
import type { ReferenceType } from '../src/model/reference-data/reference-types.ts';
import { bodyFields } from './building/body-fields.ts';
import { builder, type ReferenceName } from './building/builder.ts';
import { member } from './building/member.ts';
import { ownMembers, ReferenceRecordRef, referenceNoun } from './reference-record.ts';

const CoordinatesRef = builder.objectRef<Coordinates>('Coordinates').implement({
  description: 'A place on the earth in decimal degrees, rounded to seven digits.',
  fields: (t) => ({
    latitude: t.exposeFloat('latitude', { description: 'North of the equator is positive.' }),
    longitude: t.exposeFloat('longitude', { description: 'East of Greenwich is positive.' }),
  }),
});

/** What tells one kind of location from the other. */
interface LocationDeclaration {
  readonly type: ReferenceType;
  readonly name: ReferenceName & ('Port' | 'InlandFacility');
  readonly description: string;
  readonly one: string;
  readonly many: string;
}

/** A kind of location: its object, its queries, that of what lies near among them, and its mutations. */
export function location({ type, name, description, one, many }: LocationDeclaration): void {
  const ref = builder.objectRef<Entity>(name).implement({
    description,
    interfaces: [ReferenceRecordRef],
    fields: (t) => ({
      ...bodyFields(t, type.schema, { read: (part) => member<unknown>(part), names: ownMembers(type) }),
      coordinates: t.field({
        type: CoordinatesRef,
        nullable: true,
        description: 'Computed from degrees, minutes and seconds; null unless degrees and side of both axes are known.',
        resolve: (record) => coordinatesOf((part) => record.at(part)),
      }),
    }),
  });
  const near = builder.objectRef<Entity>(`Near${name}`).implement({
    description: `A ${type.noun} near a place.`,
    fields: (t) => ({
      distanceKm: t.float({
        description: 'How far it is, along the surface of the earth, in kilometres.',
        resolve: (record) => Number(record.stored('distance')) / 1000,
      }),
      [one]: t.field({ type: ref, description: 'The record.', resolve: (record) => record }),
    }),
  });
  referenceNoun({ type, name, ref, one, many });
  builder.queryField(`${many}Near`, (t) =>
    t.field({
      type: [near],
      description: `Every ${type.noun} of the caller's tenant around a place, the nearest first; inactive ones too.`,
      args: {
        latitude: t.arg.float({ required: true, description: 'Decimal degrees, north of the equator positive.' }),
        longitude: t.arg.float({ required: true, description: 'Decimal degrees, east of Greenwich positive.' }),
        withinKm: t.arg.float({ description: 'At most this far away, in kilometres; anywhere when left out.' }),
        first: t.arg.int({ description: 'At most this many, 1 to 1000; 25 when left out.' }),
      },
      resolve: (_root, place, { domain }) => domain.referenceRecords.near(type, place),
    }),
  );
}
