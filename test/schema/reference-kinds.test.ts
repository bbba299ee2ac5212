import { describe, expect, it } from 'vitest';
import { GRADE_KINDS } from '../../src/model/reference-data/grade-kinds.ts';
import { ask, portsFixture, put, service } from './reference-fixture.ts';

portsFixture();

describe('every kind of reference record in GraphQL', () => {
  const grade = {
    name: 'Bitumen',
    gradeTypeCode: 'NDP_ASPHALT/BITUMEN',
    description: 'd',
    gradeStatusCode: 'ACTIVE',
    isSensitive: true,
  };
  const kinds: [string, string, object][] = [
    ['Port', 'port', { name: 'x' }],
    ['InlandFacility', 'inlandFacility', { name: 'x' }],
    ['Grade', 'grade', grade],
    ['Company', 'company', { name: 'x' }],
  ];

  it.each(kinds)('%s is written, deactivated, and tied to its tenant and its version', async (name, one, body) => {
    const made = await put(name, 'G', body);
    expect(made).toMatchObject({ created: true, [one]: { clientCode: 'G' } });
    expect(await put(name, 'G', body)).toMatchObject({ created: false });
    expect(await put(name, 'G', {})).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await put(name, 'G', body, 'reader')).toMatchObject({ code: 'FORBIDDEN' });
    const mutation = `mutation D($e: [String!]) { deactivate${name}(clientCode: "G", expectedVersion: $e) { statusCode versions { number } } }`;
    const stale = await ask(mutation, { e: [made[one].versionId] });
    expect(stale.errors[0].extensions.code).toBe('PRECONDITION_FAILED');
    expect((await ask(mutation, { e: ['*'] })).data[`deactivate${name}`]).toEqual({
      statusCode: 'INACTIVE',
      versions: [{ number: 3 }, { number: 2 }, { number: 1 }],
    });
    for (const as of ['vendor', 'stranger'] as const) {
      const { data, errors } = await ask(`{ ${one}(clientCode: "G") { statusCode } }`, {}, as);
      expect([data[one], errors[0].extensions.code]).toEqual([null, 'NOT_FOUND']);
      expect((await ask(mutation, {}, as)).errors[0].extensions.code).toBe('NOT_FOUND');
    }
    const nobody = await service.graphql(`{ ${one}(clientCode: "G") { statusCode } }`, {}, null);
    expect([nobody.status, nobody.body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('a grade has its type as an enum, with its category', async () => {
    const { data } = await ask(
      '{ grade(clientCode: "G") { gradeTypeCode gradeStatusCode isSensitive gradeType { type code category description } } }',
    );
    expect(data.grade).toEqual({
      gradeTypeCode: 'NDP_ASPHALT_BITUMEN',
      gradeStatusCode: 'INACTIVE',
      isSensitive: true,
      gradeType: {
        type: 'NDP_ASPHALT_BITUMEN',
        code: 'NDP_ASPHALT/BITUMEN',
        category: 'Specialty Products',
        description: 'Asphalt/Bitumen',
      },
    });
  });

  it('the 63 types are a list for pickers, each with its own name, and a described enum', async () => {
    const { data } = await ask(
      '{ gradeTypes { type code category description } __type(name: "GradeType") { enumValues { name description } } }',
    );
    expect(data.gradeTypes.map(({ type: _type, ...kind }: { type: string }) => kind)).toEqual(GRADE_KINDS);
    const names = data.gradeTypes.map(({ type }: { type: string }) => type);
    expect(new Set(names).size).toBe(63);
    expect(names).toEqual(
      expect.arrayContaining([
        'NDP_BASE_OILS_AND_FINISHED_LUBRICANTS',
        'NDP_HEAVY_NAPHTHA_NAPHTHENES_AND_AROMATICS_NAPHTHA',
        'NDP_FLUID_CATALYTIC_CRACKER_GASOLINE_FCC_NAPHTHA',
      ]),
    );
    expect(data.__type.enumValues).toHaveLength(63);
    expect(data.__type.enumValues).toEqual(
      expect.arrayContaining(
        data.gradeTypes.map(({ type, category, description }: Record<string, string>) => ({
          name: type,
          description: `${category} / ${description}.`,
        })),
      ),
    );
    const nobody = await service.graphql('{ gradeTypes { code } }', {}, null);
    expect([nobody.status, nobody.body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('a company has its head office with all its contacts', async () => {
    const contact = {
      addresses: [
        {
          isPreferred: true,
          address: '1 Quay',
          city: 'Rotterdam',
          state: null,
          postalCode: '1',
          countryCode: 'nl',
          addressTypeCode: 'WORK',
        },
      ],
      emails: [{ isPreferred: true, address: 'a@b.example', emailTypeCode: 'WORK' }],
      urls: [{ isPreferred: false, address: 'https://b.example', urlTypeCode: 'WORK' }],
      phones: [{ isPreferred: true, phoneNumber: '+31', phoneTypeCode: 'WORK' }],
    };
    await put('Company', 'HQ', {
      name: 'C',
      companyRoles: ['A', 'B'],
      headOffice: { name: 'H', description: 'D', contact },
    });
    const { data } = await ask(`{ company(clientCode: "HQ") {
      companyRoles headOfficeName headOfficeDescription record
      headOffice { name description contact {
        addresses { isPreferred address city state postalCode countryCode addressTypeCode }
        emails { isPreferred address emailTypeCode } urls { isPreferred address urlTypeCode } phones { isPreferred phoneNumber phoneTypeCode }
      } }
    } }`);
    const kept = { ...contact, addresses: [{ ...contact.addresses[0], countryCode: 'NL' }] };
    expect(data.company).toMatchObject({
      companyRoles: ['A', 'B'],
      headOfficeName: 'H',
      headOfficeDescription: 'D',
      headOffice: { name: 'H', description: 'D', contact: kept },
      record: { headOffice: { contact: kept } },
    });
    const { data: list } = await ask('{ companies { nodes { clientCode companyRoles headOffice { name } summary } } }');
    expect(list.companies.nodes[0]).toMatchObject({ clientCode: 'G', companyRoles: [], headOffice: null });
    expect(list.companies.nodes[1].summary).not.toHaveProperty('headOffice');
  });

  it('an inland facility is found near a place, and no port is', async () => {
    await put('InlandFacility', 'TANK', {
      name: 'Tank',
      latitudeDeg: 51.9,
      latitudeNs: 'N',
      longitudeDeg: 4.2,
      longitudeWe: 'E',
    });
    const { data } = await ask(
      '{ inlandFacilitiesNear(latitude: 52, longitude: 4) { inlandFacility { clientCode coordinates { latitude } } } }',
    );
    expect(data.inlandFacilitiesNear).toEqual([
      { inlandFacility: { clientCode: 'TANK', coordinates: { latitude: 51.9 } } },
    ]);
  });
});
