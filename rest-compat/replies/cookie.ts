import { stringifySetCookie } from 'cookie';
import type { Node } from '../declare/view.ts';

/** A cookie that is set with the answer, from fields of the entity. */
export interface CookieFields {
  readonly name: string;
  readonly value: string;
  readonly expires: string;
}

/** No script reads it, no request of a foreign page that changes anything carries it, and every path has it. */
const ATTRIBUTES = { path: '/', httpOnly: true, sameSite: 'lax' } as const;

/** The Set-Cookie header for an entity; the browser drops the cookie when its time is over. */
export const cookieOf = ({ name, value, expires }: CookieFields, node: Node, secure: boolean): string[] => [
  'Set-Cookie',
  stringifySetCookie({
    ...ATTRIBUTES,
    name,
    value: String(node[value]),
    expires: new Date(String(node[expires])),
    secure,
  }),
];

/** The Set-Cookie header that makes the browser drop a cookie. */
export const clearedCookie = (name: string, secure: boolean): string[] => [
  'Set-Cookie',
  stringifySetCookie({ ...ATTRIBUTES, name, value: '', expires: new Date(0), maxAge: 0, secure }),
];
