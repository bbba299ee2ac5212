import { type Endpoint, endpoint } from '../../rest-compat/declare/endpoint.ts';
import type { Family } from '../../rest-compat/declare/family.ts';
import { page, pageArguments, pageSources, pageVariables } from '../../rest-compat/declare/list-operation.ts';
import { createdWithoutLocation, list, one } from '../../rest-compat/declare/reply.ts';
import { fromBody, fromPath } from '../../rest-compat/declare/source.ts';
import { selectionOf, type ViewObject } from '../../rest-compat/declare/view.ts';

const toy: Family = { name: 'toy', title: 'Toy API', base: '/toy/v1', filterStyle: 'bare', defaultLimit: 10 };

/** An organization as seen by the toy's clients. */
const company: ViewObject = { code: 'id', since: 'createdAt', details: 'body' };

/** /toy/v1/companies: the organizations, under another name. */
export const companies: readonly Endpoint[] = [
  endpoint(toy, {
    id: 'toy.companies.list',
    route: 'GET /companies',
    summary: 'Lists companies.',
    operation: `query ToyCompaniesList(${pageVariables}) {
      organizations(${pageArguments}) { ${page(selectionOf(company))} }
    }`,
    variables: pageSources(),
    reply: list(company, 'OrganizationBody'),
    errors: [],
  }),
  endpoint(toy, {
    id: 'toy.companies.create',
    route: 'POST /companies',
    summary: 'Creates a company.',
    operation: `mutation ToyCompaniesCreate($body: OrganizationBody!) {
      createOrganization(body: $body) { ${selectionOf(company)} }
    }`,
    variables: { body: fromBody('company') },
    reply: createdWithoutLocation(company, 'OrganizationBody'),
    errors: ['NAME_TAKEN'],
  }),
  endpoint(toy, {
    id: 'toy.companies.get',
    route: 'GET /companies/{code}',
    summary: 'Returns a company.',
    operation: `query ToyCompaniesGet($id: UUID!) { organization(id: $id) { ${selectionOf(company)} } }`,
    variables: { id: fromPath('code') },
    reply: one(company, 'OrganizationBody'),
    errors: ['NOT_FOUND'],
  }),
];
