import { invalidInput, ServiceError, throwIfInvalid, type Violation } from '../../errors.ts';
import { DATA_API_FORMS, type DataApiForm, dataApiFormsOf, JOB_MEMBERS } from '../../model/data-api/data-api-job.ts';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { DataApiExtras, Entity, StoredDocument } from '../../model/entity/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { RawJson } from '../../model/raw-json.ts';
import { WrittenEntity } from '../../store/entities/read-entity.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import { referencesIn } from '../catalogs/catalog-reference.ts';
import type { Resolution } from '../catalogs/resolve-references.ts';
import { CONFLICT, type WriteResult, writeTogether } from '../catalogs/write-with-references.ts';
import { addDocument } from '../documents/create.ts';
import { derivedParts, documentKind } from '../documents/document-kind.ts';
import type { Documents } from '../documents/documents.ts';
import { inPlace, ruleViolations } from '../documents/new-document.ts';
import { dataApiForm, unresolvedForm } from '../documents/storage-form.ts';
import type { RequestContext } from '../request/request-context.ts';
import { validatorOf } from '../validation/validators.ts';
import { checkVersion, type Expectation, nextVersion, retryOnConflict } from '../versions/versions.ts';
import { workspacesOfParties } from '../workspaces/party-workspace.ts';
import { accessForWriting, accessToOwn, fenceWorkspace, type SeeRecords } from '../workspaces/workspace-access.ts';
import { adopted, shown } from './data-api-form.ts';
import { ShownRecords } from './shown-records.ts';

const kind = documentKind(JOB_TYPE);

/** Jobs as the Data API sends and shows them (interface, "Data API: job body"; contract §7, §11). */
export class DataApiJobs {
  readonly #ctx: RequestContext;
  readonly #documents: Documents;
  readonly #unplaced = new WeakMap<Entity, string>();
  /** The records of the jobs created by this request, as of their creation. */
  readonly #records = new WeakMap<Entity, readonly (Entity | undefined)[]>();

  constructor(ctx: RequestContext, documents: Documents) {
    this.#ctx = ctx;
    this.#documents = documents;
  }

  /** Stores a job of either shape in the workspace its parties share, or in no workspace. */
  create(sent: JsonObject): Promise<Entity> {
    const forms = dataApiFormsOf(sent);
    const violations = formViolations(sent, forms);
    if (violations.length > 0 && lacksRetain(sent, forms)) throw withHint(violations);
    return this.#make(sent, forms, this.#ctx.sources.newId());
  }

  /** The same for a job that must be in the submit form of Shape A. */
  submit(sent: JsonObject): Promise<Entity> {
    return this.#make(sent, ['submit'], this.#ctx.sources.newId());
  }

  async #make(sent: JsonObject, forms: readonly DataApiForm[], id: string): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    throwIfInvalid(formViolations(sent, forms));
    const { body: given, bridge } = adopted(forms.includes('single') ? 'B' : 'A', sent);
    const { client, vendor } = given;
    const matching = await workspacesOfParties(ctx, stores, { client, vendor });
    const workspace = matching.length === 1 ? matching[0] : matching.find(({ id }) => id === namedIn(given));
    const place = { workspace: workspace?.id ?? null };
    const body = inPlace(kind, given, place);
    const storageForm = workspace ? dataApiForm(kind, bridge) : unresolvedForm(kind, bridge);
    throwIfInvalid(inItsTerms([...ruleViolations(kind, body, place), ...storageForm.violations(body)]));
    const access = workspace ? await accessForWriting(ctx, workspace.id, Promise.resolve(workspace)) : accessToOwn(ctx);
    let records: readonly (Entity | undefined)[] = [];
    const see: SeeRecords = (seen) => {
      records = seen;
    };
    const job = await addDocument(ctx, kind, access, { id, place, body, storageForm, see }).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      if (workspace && error.code === 'NOT_FOUND') return undefined;
      throw error.code === 'INVALID_INPUT' ? invalidInput(inItsTerms(error.errors ?? [])) : error;
    });
    if (!job) return this.#make(sent, forms, id); // the workspace was deleted meanwhile
    this.#records.set(job, records);
    if (job.workspaceId === null) this.#unplaced.set(job, placementOf(matching));
    return job;
  }

  /** Why a job created by this request is in no workspace; undefined for all other jobs (contract §7). */
  placementOf(job: Entity): string | undefined {
    return this.#unplaced.get(job);
  }

  /**
   * Moves a job that is in no workspace into one of the caller's; in the same transaction, its references become records of the
   * workspace's catalogs. CONFLICT if the job is already in a workspace.
   */
  async place(id: string, workspace: string, expectation: Expectation = {}): Promise<Entity> {
    const ctx = this.#ctx;
    const stores = ctx.writeStores();
    return retryOnConflict(ctx, id, async () => {
      const before = await this.#documents.getWritable({ id, type: JOB_TYPE });
      const access = await accessForWriting(ctx, workspace);
      if (before.workspaceId !== null) {
        throw new ServiceError('CONFLICT', `The job ${id} is already in the workspace ${before.workspaceId}.`);
      }
      checkVersion(before, expectation);
      const old = before.content();
      const body = inPlace(kind, old, { workspace });
      const storageForm = dataApiForm(kind, before.stored('bridge') as DataApiExtras, { old, patch: {} });
      const write = async ({ ids }: Resolution, tx: Transaction): Promise<WriteResult<StoredDocument>> => {
        await fenceWorkspace(ctx, access, tx);
        const { body: next, refs, bridge } = storageForm.toStored(body, ids);
        const stored: StoredDocument = {
          ...nextVersion(ctx, before, next),
          workspace: access.id,
          readers: access.readers,
          ...derivedParts(kind, next, refs),
          ...(bridge && { bridge }),
        };
        return (await stores.documents.replace(before, stored, tx)) ? { kind: 'written', stored } : CONFLICT;
      };
      const catalogReferences = referencesIn(storageForm.references, body);
      const work = { write, alreadyReferenced: new Set<string>(), inTurnFor: access.id };
      const result = await writeTogether(ctx, access, catalogReferences, work);
      return result.kind === 'written' ? new WrittenEntity(result.stored) : undefined;
    });
  }

  /** The bodies of jobs as the Data API shows them, each made when its text is asked for; the names of all their records are read at once. */
  async bodiesOf(jobs: readonly Entity[]): Promise<RawJson[]> {
    const { tenant } = this.#ctx;
    const stores = this.#ctx.unscopedStores();
    const ids = new Set(jobs.flatMap((job) => (job.workspaceId === null ? [] : (job.stored('refs') as string[]))));
    const known = jobs.flatMap((job) => this.#records.get(job) ?? []).filter((record) => record !== undefined);
    for (const { id } of known) ids.delete(id);
    const found = ids.size > 0 ? await stores.recordNames.many([...ids]) : [];
    const records = new ShownRecords([...known, ...found], tenant);
    return jobs.map(
      (job) => new RawJson(() => JSON.stringify(shown(job, job.workspaceId === null ? undefined : records))),
    );
  }
}

/** The workspace named by a body, which distinguishes several workspaces of the same parties. */
const namedIn = ({ workspace }: JsonObject): string | undefined =>
  typeof workspace === 'string' ? workspace.toLowerCase() : undefined;

const placementOf = ({ length }: readonly Entity[]): string =>
  length > 1 ? `none; ${length} workspaces match` : 'none; no workspace of these parties';

/** The violations of a body that fits none of these forms: those of the form with the fewest, or the first such form. */
function formViolations(sent: JsonObject, forms: readonly DataApiForm[]): readonly Violation[] {
  let fewest: readonly Violation[] | undefined;
  for (const form of forms) {
    const violations = validatorOf(DATA_API_FORMS[form]).violations(sent, false);
    if (fewest === undefined || violations.length < fewest.length) fewest = violations;
    if (violations.length === 0) break;
  }
  const names = Object.keys(sent);
  if (names.length === 0 || names.some((name) => JOB_MEMBERS.has(name))) return fewest ?? [];
  const message = `has none of the members of a job: ${[...JOB_MEMBERS].join(', ')}.`;
  return [...(fewest ?? []), { path: '', message }];
}

/** Whether a body would fit the create form if it had `retain`, the member that identifies the form. */
const lacksRetain = (sent: JsonObject, forms: readonly DataApiForm[]): boolean =>
  !forms.includes('single') &&
  !forms.includes('create') &&
  formViolations({ ...sent, retain: true }, ['create']).length === 0;

const withHint = (errors: readonly Violation[]): ServiceError => {
  const { message } = invalidInput(errors);
  const hint = 'A body with `retain` is checked as the create form, which this one would fit.';
  return new ServiceError('INVALID_INPUT', `${message} ${hint}`, { errors });
};

/** Violations of a job that is stored in another form than it was sent in, in the terms of the Data API. */
const inItsTerms = (violations: readonly Violation[]): Violation[] =>
  violations.map((violation) => ('path' in violation ? { ...violation, ...ITS_TERMS[violation.path] } : violation));

const ITS_TERMS: Readonly<Record<string, { readonly path?: string; readonly message?: string }>> = {
  '/cargo/uom': { path: '/cargo/quantity/uom' },
  '/workspace': {
    message: 'must be a workspace of this client and vendor that your tenant opened or accepted, or be left out.',
  },
};
