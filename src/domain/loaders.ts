import DataLoader from 'dataloader';
import type { Entity } from '../model/entity.ts';
import type { Domain } from './domain.ts';

/** Related entities of one request, read in batches: a page of any size costs one call for each kind of relation. */
export class Loaders {
  readonly #domain: Domain;
  #organizations: DataLoader<string, Entity | undefined> | undefined;
  #workspaces: DataLoader<string, Entity | undefined> | undefined;
  #documents: DataLoader<string, Entity | undefined> | undefined;
  #catalogRecords: DataLoader<string, Entity | undefined> | undefined;
  readonly #children = new Map<string, DataLoader<string, Entity[]>>();

  constructor(domain: Domain) {
    this.#domain = domain;
  }

  organization(id: unknown): Promise<Entity | undefined> | undefined {
    this.#organizations ??= new DataLoader((ids) => this.#domain.organizations.getMany(ids));
    return typeof id === 'string' ? this.#organizations.load(id) : undefined;
  }

  workspace(id: unknown): Promise<Entity | undefined> | undefined {
    this.#workspaces ??= new DataLoader((ids) => this.#domain.workspaces.getMany(ids));
    return typeof id === 'string' ? this.#workspaces.load(id) : undefined;
  }

  document(id: unknown): Promise<Entity | undefined> | undefined {
    this.#documents ??= new DataLoader((ids) => this.#domain.documents.getMany(ids));
    return typeof id === 'string' ? this.#documents.load(id) : undefined;
  }

  catalogRecord(id: unknown): Promise<Entity | undefined> | undefined {
    this.#catalogRecords ??= new DataLoader((ids) => this.#domain.catalogRecords.getMany(ids));
    return typeof id === 'string' ? this.#catalogRecords.load(id) : undefined;
  }

  /** The newest `first` documents of one type below a parent. */
  children(parent: Entity, type: string, first: number): Promise<Entity[]> {
    const kind = `${type} ${first}`;
    const loader =
      this.#children.get(kind) ?? new DataLoader((ids) => this.#domain.documents.childrenOf(ids, type, first));
    this.#children.set(kind, loader);
    return loader.load(parent.id);
  }

  /** The records of a list of references, those that are missing left out. */
  async catalogRecords(ids: unknown): Promise<Entity[]> {
    if (!Array.isArray(ids)) return [];
    const records = await Promise.all(ids.map((id) => this.catalogRecord(id)));
    return records.filter((record) => record !== undefined);
  }
}
