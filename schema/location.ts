import type { Entity } from '../src/model/entity/entity.ts';
import { type Coordinates, coordinatesOf } from '../src/model/reference-data/coordinates.ts';
import type { ReferenceType } from '../src/model/reference-data/reference-types.ts';
import { bodyFields } from './building/body-fields.ts';
import { builder, type ReferenceName } from './building/builder.ts';
import { member } from './building/member.ts';
import { ownMembers, ReferenceRecordRef, referenceNoun } from './reference-record.ts';

const CoordinatesRef = builder.objectRef<Coordinates>('Coordinates').implement({
  description: 'Coordinates in decimal degrees, rounded to seven decimal places.',
  fields: (t) => ({
    latitude: t.exposeFloat('latitude', { description: 'Positive north of the equator.' }),
    longitude: t.exposeFloat('longitude', { description: 'Positive east of Greenwich.' }),
  }),
});

/** The differences between ports and inland facilities. */
interface LocationDeclaration {
  readonly type: ReferenceType;
  readonly name: ReferenceName & ('Port' | 'InlandFacility');
  readonly description: string;
  readonly one: string;
  readonly many: string;
}

/** Defines a kind of location: its object, queries (including the search by distance) and mutations. */
export function location({ type, name, description, one, many }: LocationDeclaration): void {
  const ref = builder.objectRef<Entity>(name).implement({
    description,
    interfaces: [ReferenceRecordRef],
    fields: (t) => ({
      ...bodyFields(t, type.schema, { read: (part) => member<unknown>(part), names: { hide: ownMembers(type) } }),
      coordinates: t.field({
        type: CoordinatesRef,
        nullable: true,
        description:
          'The coordinates, computed from degrees, minutes and seconds; null unless degrees and hemisphere are known for both.',
        resolve: (record) => coordinatesOf((part) => record.at(part)),
      }),
    }),
  });
  const near = builder.objectRef<Entity>(`Near${name}`).implement({
    description: `One ${type.noun} with its distance from a point.`,
    fields: (t) => ({
      distanceKm: t.float({
        description: 'The great-circle distance in kilometres.',
        resolve: (record) => Number(record.stored('distance')) / 1000,
      }),
      [one]: t.field({ type: ref, description: 'The record.', resolve: (record) => record }),
    }),
  });
  referenceNoun({ type, name, ref, one, many });
  builder.queryField(`${many}Near`, (t) =>
    t.field({
      type: [near],
      description: `Every ${type.noun} of the caller's tenant around a point, nearest first, including inactive ones.`,
      args: {
        latitude: t.arg.float({ required: true, description: 'Decimal degrees, positive north of the equator.' }),
        longitude: t.arg.float({ required: true, description: 'Decimal degrees, positive east of Greenwich.' }),
        withinKm: t.arg.float({ description: 'The maximum distance in kilometres; unlimited by default.' }),
        first: t.arg.int({ description: 'The maximum number of items, 1 to 1000; default 25.' }),
      },
      resolve: (_root, place, { domain }) => domain.referenceRecords.near(type, place),
    }),
  );
}
