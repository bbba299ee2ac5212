import { expect, it } from 'vitest';
import { CredentialCache, hashSecret, type Known } from '../../src/auth/credential-cache.ts';

const knownAs = (id: string): Known => ({
  viewer: { id, tenant: 't', name: 'n', scopes: new Set() },
  expiresAt: Number.POSITIVE_INFINITY,
});

/** A cache whose look-ups are answered by hand, in the order they began. */
function cacheByHand() {
  const lookUps: PromiseWithResolvers<Known | undefined>[] = [];
  const cache = new CredentialCache(
    () => {
      const lookUp = Promise.withResolvers<Known | undefined>();
      lookUps.push(lookUp);
      return lookUp.promise;
    },
    () => new Date(0),
  );
  return { cache, lookUps };
}

it('looks a secret up once for all who ask at the same time, and again after a failure', async () => {
  const { cache, lookUps } = cacheByHand();
  const failing = Array.from({ length: 100 }, () => cache.viewerOf('secret'));
  lookUps[0]?.reject(new Error('no database'));
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array(100).fill('rejected'));
  const asked = Array.from({ length: 100 }, () => cache.viewerOf('secret'));
  lookUps[1]?.resolve(knownAs('one'));
  expect((await Promise.all(asked)).map((viewer) => viewer?.id)).toEqual(Array(100).fill('one'));
  expect(cache.viewerOf('secret')).toMatchObject({ id: 'one' }); // cached from now on
  expect(lookUps).toHaveLength(2);
});

it('never gives what was read before a revocation to those asking after it', async () => {
  const { cache, lookUps } = cacheByHand();
  const before = cache.viewerOf('secret');
  cache.forget(hashSecret('secret'));
  const after = cache.viewerOf('secret');
  lookUps[1]?.resolve(undefined);
  lookUps[0]?.resolve(knownAs('one'));
  expect([await before, await after]).toMatchObject([{ id: 'one' }, undefined]);
  const later = cache.viewerOf('secret');
  lookUps[2]?.resolve(undefined);
  expect(await later).toBeUndefined();
});
