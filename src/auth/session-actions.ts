import { unauthenticated } from '../errors.ts';
import type { NewPassword, NewSession, OwnSession, Session, SignIn } from '../model/session.ts';
import type { AskedSession, Sessions } from './sessions.ts';
import type { Viewer, ViewerSession } from './viewer.ts';

/** The session operations of one request: signing in and out, and managing one's own sessions and password. */
export class SessionActions {
  readonly #sessions: Sessions;
  readonly #viewer: Viewer | undefined;
  readonly #asked: AskedSession;

  constructor(sessions: Sessions, viewer: Viewer | undefined, asked: AskedSession) {
    this.#sessions = sessions;
    this.#viewer = viewer;
    this.#asked = asked;
  }

  /** The session of the request; throws UNAUTHENTICATED if it has none. */
  get current(): Session {
    return this.#own().session;
  }

  signIn(signIn: SignIn): Promise<NewSession> {
    return this.#sessions.begin(signIn, this.#asked);
  }

  /** Ends the session of the request and returns it. */
  async signOut(): Promise<Session> {
    const viewer = this.#own();
    await this.#sessions.end(viewer.session, viewer, this.#asked);
    return viewer.session;
  }

  /** The user's active sessions. */
  list(): Promise<OwnSession[]> {
    return this.#sessions.listOf(this.#own());
  }

  /** Ends one of the user's sessions and returns it. */
  endOne(id: string): Promise<OwnSession> {
    return this.#sessions.endOne(this.#own(), id, this.#asked);
  }

  /** Ends all of the user's sessions but the current one; returns how many. */
  endOthers(): Promise<number> {
    return this.#sessions.endOthers(this.#own(), this.#asked);
  }

  /** Changes the user's password and returns the current session, which stays active. */
  async changePassword(change: NewPassword): Promise<Session> {
    const viewer = this.#own();
    await this.#sessions.changePassword(viewer, change, this.#asked);
    return viewer.session;
  }

  #own(): Viewer & { readonly session: ViewerSession } {
    const viewer = this.#viewer;
    if (viewer?.session) return { ...viewer, session: viewer.session };
    throw unauthenticated('Nobody is signed in: this request has no session.');
  }
}
