import { JOB_TYPE } from '../document-types/job.ts';
import { catalogRecordType, organizationType } from '../entity/entity-types.ts';

/** How many characters a part has. */
const LENGTH = 4;
/** The parts of one text at most; a longer text has the empty part in addition, which stands for any. */
const MOST = 100;

/**
 * How far it is from the beginning of a part to that of the next, by the letter that the parts of a text begin with: each is an entry of an index
 * that a creation pays for. Trip numbers are short, and are searched for short texts.
 */
const STRIDES: Readonly<Record<string, number>> = { r: 3, t: 2, x: 3, n: 2 };

/** The texts whose parts are stored, by the type of their entity, each with its letter. */
const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [JOB_TYPE]: { refNumber: 'r', tripNumber: 't', xref: 'x' },
  [catalogRecordType.name]: { name: 'n', xref: 'x' },
  [organizationType.name]: { name: 'n' },
};

/** The letter of a text whose parts are stored; undefined where they are not. */
export const partLetter = (type: string, member: string): string | undefined => TEXTS[type]?.[member];

/** The parts of an entity's texts, by which an index finds those that contain a text. */
export function partsOf(type: string, body: Readonly<Record<string, unknown>>): string[] {
  const parts = new Set<string>();
  for (const [member, letter] of Object.entries(TEXTS[type] ?? {})) {
    const text = body[member];
    if (typeof text !== 'string') continue;
    if (ASCII.test(text)) addAsciiParts(parts, letter, text.toLowerCase());
    else addParts(parts, letter, folded(text));
  }
  return [...parts].sort();
}

/** The same as a member of what is stored; without one where there are no parts. */
export function storedParts(type: string, body: Readonly<Record<string, unknown>>): { readonly parts?: string[] } {
  const parts = partsOf(type, body);
  return parts.length > 0 ? { parts } : {};
}

/** Most texts are of characters that are one unit each, small letter and capital. */
const ASCII = /^[\x20-\x7e]*$/;

/** What `addParts` does, for such a text. */
function addAsciiParts(parts: Set<string>, letter: string, text: string): void {
  const stride = strideOf(letter);
  const end = Math.min(text.length, MOST * stride);
  for (let at = 0; at < end; at += stride) parts.add(letter + text.slice(at, at + LENGTH));
  if (text.length > end) parts.add(letter);
}

function addParts(parts: Set<string>, letter: string, text: readonly string[]): void {
  const stride = strideOf(letter);
  const end = Math.min(text.length, MOST * stride);
  for (let at = 0; at < end; at += stride) parts.add(letter + text.slice(at, at + LENGTH).join(''));
  if (text.length > end) parts.add(letter);
}

const strideOf = (letter: string): number => STRIDES[letter] ?? 1;

/** What one of the stored parts must be: one of some, or one that begins with one of others. */
export interface SoughtParts {
  readonly anyOf: readonly string[];
  readonly beginning: readonly string[];
}

/**
 * What the parts of a text must hold if it contains another; none where that is too short to say. Where it begins in the
 * text is not known: at a character that begins a part, or at one of those before the next.
 */
export function soughtParts(letter: string, contained: string): readonly SoughtParts[] {
  const text = folded(contained);
  const stride = strideOf(letter);
  if (text.length < stride) return [];
  // Which place in a long text is rare is for the database to find out: references often begin alike and end apart.
  const last = Math.max(0, text.length - LENGTH - stride + 1);
  return [...new Set([last, Math.floor(last / 2), 0])].map((from) => {
    const begun = Array.from({ length: stride }, (_, i) => text.slice(from + i, from + i + LENGTH));
    const written = (whole: boolean): string[] =>
      begun.filter(({ length }) => (length === LENGTH) === whole).map((part) => letter + part.join(''));
    return { anyOf: [letter, ...written(true)], beginning: written(false) };
  });
}

/** The characters of a text, alike where a comparison without letter case holds them for the same. */
const folded = (text: string): readonly string[] => Array.from(text, foldedCharacter);

/** One character stays one, so that places in a text stay the same; ſ, K and ς have a capital in common with s, k and σ. */
export function foldedCharacter(character: string): string {
  const upper = character.toUpperCase();
  const lower = (isOne(upper) ? upper : character).toLowerCase();
  return isOne(lower) ? lower : character;
}

const isOne = (text: string): boolean =>
  text.length === 1 || (text.length === 2 && text.codePointAt(0) !== text.charCodeAt(0));
