import { v7 as newId } from 'uuid';
import type { TestService } from '../../service.ts';

export type Pair = readonly [string, string];

/** Stores links, each modelled on an existing one. */
export async function putLinks(service: TestService, made: string, pairs: readonly Pair[]): Promise<void> {
  const synonyms = service.stores.db.collection<{ _id: string; body: object }>('synonyms');
  const like = await synonyms.findOne({ _id: made });
  const links = pairs.map(([baseItem, linkedItem]) => {
    const items = [baseItem, linkedItem].sort();
    return { ...like, _id: newId(), items, pair: items.join(' '), body: { ...like?.body, baseItem, linkedItem } };
  });
  await synonyms.insertMany(links);
}

/** Pairs of neighbours. */
export const chained = (ids: readonly string[]): Pair[] => ids.slice(1).map((id, index) => [ids[index] ?? '', id]);

/** All pairs. */
export const allPairs = (ids: readonly string[]): Pair[] =>
  ids.flatMap((one, index) => ids.slice(index + 1).map((other): Pair => [one, other]));

export const newIds = (count: number): string[] => Array.from({ length: count }, () => newId());
