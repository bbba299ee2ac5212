import { rateLimited, unauthenticated } from '../errors.ts';
import { usernameKey } from '../model/session.ts';
import type { FailureCount } from '../store/access/sign-in-failures.ts';
import type { StoredUser } from '../store/access/users.ts';
import type { Stores } from '../store/stores.ts';
import { hashSecret } from './credential-cache.ts';
import { PasswordQueue } from './password-queue.ts';
import { isPassword } from './passwords.ts';

export interface PasswordCheckParts {
  readonly stores: Pick<Stores, 'users' | 'signInFailures'>;
  /** Whether a user may sign in at all. */
  readonly isWelcome: (user: StoredUser) => boolean;
}

/** A name and a password, and the network that they come from. */
export interface Claim {
  readonly username: string;
  readonly password: string;
  readonly network: string;
}

/** How many sign-ins may fail within 15 minutes: for one name from one network, and from one network for any names. */
const ALLOWED = { pair: 10, network: 100 };

/** Finds out whose name and password these are, as often as guessing allows (contract §11). */
export class PasswordCheck {
  readonly queue = new PasswordQueue();
  readonly #parts: PasswordCheckParts;

  constructor(parts: PasswordCheckParts) {
    this.#parts = parts;
  }

  /** The user; UNAUTHENTICATED unless name and password match, RATE_LIMITED after too many failures or while too many wait. */
  async userOf({ username, password, network }: Claim): Promise<StoredUser> {
    const { stores, isWelcome } = this.#parts;
    this.queue.check();
    const attempt = await stores.signInFailures.count(countsOf(username, network));
    if (attempt.blockedMs > 0) throw rateLimited('Too many failed sign-ins from this address', attempt.blockedMs);
    const user = await stores.users.findNamed(username);
    const kept = user && isWelcome(user) ? user.password : undefined;
    const fits = await this.queue
      .run(() => isPassword(password, kept))
      .catch(async (error: unknown) => {
        await attempt.release(); // it was not tried
        throw error;
      });
    if (!fits || user === undefined) {
      await attempt.fail();
      throw unauthenticated('The username or the password is wrong.');
    }
    await attempt.release();
    return user;
  }
}

function countsOf(username: string, network: string): FailureCount[] {
  const from = hashSecret(network);
  return [
    { id: `network ${from}`, allowed: ALLOWED.network },
    { id: `pair ${hashSecret(`${usernameKey(username)} ${from}`)}`, allowed: ALLOWED.pair },
  ];
}
