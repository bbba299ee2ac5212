import { stringifySetCookie } from 'cookie';
import type { Node } from '../declare/view.ts';

/** A cookie that is set with the answer, from fields of the entity. */
export interface CookieFields {
  readonly name: string;
  readonly value: string;
  readonly expires: string;
}

/** Not readable by scripts, not sent with changes from other sites, valid on every path. */
const ATTRIBUTES = { path: '/', httpOnly: true, sameSite: 'lax' } as const;

/** How cookies are set in answer to a request. */
export interface CookieManner {
  readonly secure: boolean;
  /** The prefix of the name. */
  readonly prefix: string;
}

/** The Set-Cookie header for an entity; the cookie expires with it. */
export const cookieOf = ({ name, value, expires }: CookieFields, node: Node, manner: CookieManner): string[] => [
  'Set-Cookie',
  stringifySetCookie({
    ...ATTRIBUTES,
    name: manner.prefix + name,
    value: String(node[value]),
    expires: new Date(String(node[expires])),
    secure: manner.secure,
  }),
];

/** The Set-Cookie header that clears a cookie. */
export const clearedCookie = (name: string, { secure, prefix }: CookieManner): string[] => [
  'Set-Cookie',
  stringifySetCookie({ ...ATTRIBUTES, name: prefix + name, value: '', expires: new Date(0), maxAge: 0, secure }),
];
