import { unauthenticated } from '../errors.ts';
import type { NewSession, Session, SignIn } from '../model/session.ts';
import type { AskedSession, Sessions } from './sessions.ts';
import type { Viewer, ViewerSession } from './viewer.ts';

/** The session operations of one request: signing in and out. */
export class SessionActions {
  readonly #sessions: Sessions;
  readonly #viewer: Viewer | undefined;
  readonly #asked: AskedSession;

  constructor(sessions: Sessions, viewer: Viewer | undefined, asked: AskedSession) {
    this.#sessions = sessions;
    this.#viewer = viewer;
    this.#asked = asked;
  }

  /** The session of the request; UNAUTHENTICATED if it has none. */
  get current(): Session {
    return this.#own();
  }

  signIn(signIn: SignIn): Promise<NewSession> {
    return this.#sessions.begin(signIn, this.#asked);
  }

  /** Ends the session of the request, and returns it. */
  async signOut(): Promise<Session> {
    const session = this.#own();
    if (this.#viewer) await this.#sessions.end(session, this.#viewer, this.#asked);
    return session;
  }

  #own(): ViewerSession {
    if (this.#viewer?.session) return this.#viewer.session;
    throw unauthenticated('Nobody is signed in: this request has no session.');
  }
}
