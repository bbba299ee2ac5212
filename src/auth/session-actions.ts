import type { IncomingMessage } from 'node:http';
import { unauthenticated } from '../errors.ts';
import type { NewSession, Session, SignIn } from '../model/session.ts';
import type { Sessions } from './sessions.ts';
import type { Viewer, ViewerSession } from './viewer.ts';

/** The session operations of one request: signing in and out. */
export class SessionActions {
  readonly #sessions: Sessions;
  readonly #viewer: Viewer | undefined;
  readonly #request: IncomingMessage;

  constructor(sessions: Sessions, viewer: Viewer | undefined, request: IncomingMessage) {
    this.#sessions = sessions;
    this.#viewer = viewer;
    this.#request = request;
  }

  /** The session of the request; UNAUTHENTICATED if it has none. */
  get current(): Session {
    return this.#own();
  }

  signIn(signIn: SignIn): Promise<NewSession> {
    return this.#sessions.begin(signIn, this.#request);
  }

  /** Ends the session of the request, and returns it. */
  async signOut(): Promise<Session> {
    const session = this.#own();
    await this.#sessions.end(session);
    return session;
  }

  #own(): ViewerSession {
    if (this.#viewer?.session) return this.#viewer.session;
    throw unauthenticated('Nobody is signed in: this request has no session.');
  }
}
