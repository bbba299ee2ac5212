import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { RequestHandler } from 'express';
import { principalOf } from '../express-base.ts';
import { type Jobs, Refused } from '../jobs.ts';

interface Use {
  readonly _id: string;
  /** The fingerprint of the request. */
  readonly what: string;
  readonly expires_at: Date;
  readonly answer?: { readonly status: number; readonly headers: Record<string, unknown>; readonly body: string };
}

const KEPT_MS = 24 * 60 * 60 * 1_000;
const DUPLICATE = 11000;

/** Idempotency-Keys by hand: claimed before anything is written; the answer is stored before it is sent. */
export function idempotencyKeys({ db }: Jobs): RequestHandler {
  const uses = db.collection<Use>('handwritten_keys');
  return async (request, response, next) => {
    const key = request.get('idempotency-key');
    if (key === undefined) {
      next();
      return;
    }
    const text = `${request.method} ${request.originalUrl}\n${canonicalize(request.body)}`;
    const what = hash('sha256', text, 'base64url');
    const _id = `${principalOf(response)._id}:${hash('sha256', key, 'base64url')}`;
    try {
      await uses.insertOne({ _id, what, expires_at: new Date(Date.now() + KEPT_MS) });
    } catch (error) {
      if ((error as { code?: unknown }).code !== DUPLICATE) throw error;
      const used = await uses.findOne({ _id });
      if (used?.what !== what) throw new Refused(422, 'This Idempotency-Key was used for another request.');
      if (!used.answer) throw new Refused(409, 'The first request with this Idempotency-Key is still running.');
      const { status, headers, body } = used.answer;
      response
        .status(status)
        .set({ ...headers, 'Idempotency-Replayed': 'true' })
        .send(body);
      return;
    }
    const send = response.json.bind(response);
    response.json = (body: unknown) => {
      const answer = { status: response.statusCode, headers: response.getHeaders(), body: JSON.stringify(body) };
      uses.updateOne({ _id }, { $set: { answer } }).then(() => send(body), next);
      return response;
    };
    next();
  };
}
