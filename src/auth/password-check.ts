import { rateLimited, unauthenticated } from '../errors.ts';
import { usernameKey } from '../model/session.ts';
import type { FailureCount } from '../store/access/sign-in-failures.ts';
import type { StoredUser } from '../store/access/users.ts';
import type { Stores } from '../store/stores.ts';
import { hashSecret } from './credential-cache.ts';
import { type Applicant, PasswordQueue, type Place } from './password-queue.ts';
import { isPassword } from './passwords.ts';

interface PasswordCheckParts {
  readonly stores: Pick<Stores, 'users' | 'signInFailures'>;
  /** Whether the user may sign in at all. */
  readonly isWelcome: (user: StoredUser) => boolean;
}

/** A username and password, and the networks they came from. */
interface Claim extends Applicant {
  readonly password: string;
}

/** Failed sign-ins allowed within 15 minutes: for one name from one network, and for all names from one network. */
const ALLOWED = { pair: 10, network: 100 };

/** Verifies usernames and passwords, with a limit on guessing (contract §11). */
export class PasswordCheck {
  readonly queue = new PasswordQueue();
  readonly #parts: PasswordCheckParts;

  constructor(parts: PasswordCheckParts) {
    this.#parts = parts;
  }

  /** The user; throws UNAUTHENTICATED unless name and password match, RATE_LIMITED after too many failures or while the queue is full. */
  async userOf(claim: Claim): Promise<StoredUser> {
    const place = this.queue.enter(claim);
    try {
      return await this.#userOf(claim, place);
    } finally {
      place.leave();
    }
  }

  async #userOf({ username, password, networks }: Claim, place: Place): Promise<StoredUser> {
    const { stores, isWelcome } = this.#parts;
    const attempt = await stores.signInFailures.count(countsOf(username, networks));
    if (attempt.blockedMs > 0) throw rateLimited('Too many failed sign-ins from this address', attempt.blockedMs);
    const user = await stores.users.findNamed(username);
    const kept = user && isWelcome(user) ? user.password : undefined;
    const fits = await place
      .run(() => isPassword(password, kept))
      .catch(async (error: unknown) => {
        await attempt.release(); // the password was never checked
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

function countsOf(username: string, networks: readonly string[]): FailureCount[] {
  const from = hashSecret(networks.at(-1) ?? '');
  return [
    { id: `network ${from}`, allowed: ALLOWED.network },
    { id: `pair ${hashSecret(`${usernameKey(username)} ${from}`)}`, allowed: ALLOWED.pair },
  ];
}
