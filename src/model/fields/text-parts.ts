import { JOB_TYPE } from '../document-types/job.ts';
import { catalogRecordType, organizationType } from '../entity/entity-types.ts';

/** The length of a part, in characters. */
const LENGTH = 4;
/** The maximum number of parts per text; a longer text also has the empty part, which stands for any. */
const MOST = 100;

/**
 * The distance between the starts of consecutive parts, by the letter that prefixes them: each part is an index entry that a
 * creation pays for. Trip numbers are short, and are searched for short texts.
 */
const STRIDES: Readonly<Record<string, number>> = { r: 3, t: 2, x: 3, n: 2 };

/** The beginning of a text that its parts are taken from, in UTF-16 units: of characters with two units, one more than in the parts. */
const MOST_UNITS = 2 * (MOST * Math.max(...Object.values(STRIDES)) + LENGTH + 1);

/** The texts whose parts are stored, by entity type, each with its prefix letter. */
const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [JOB_TYPE]: { refNumber: 'r', tripNumber: 't', xref: 'x' },
  [catalogRecordType.name]: { name: 'n', xref: 'x' },
  [organizationType.name]: { name: 'n' },
};

/** The prefix letter of a text's parts; undefined if its parts are not stored. */
export const partLetter = (type: string, member: string): string | undefined => TEXTS[type]?.[member];

/** The parts of an entity's texts, indexed for substring searches. */
export function partsOf(type: string, body: Readonly<Record<string, unknown>>): string[] {
  const parts = new Set<string>();
  for (const [member, letter] of Object.entries(TEXTS[type] ?? {})) {
    const whole = body[member];
    if (typeof whole !== 'string') continue;
    const text = whole.slice(0, MOST_UNITS);
    if (ASCII.test(text)) addAsciiParts(parts, letter, text.toLowerCase());
    else addParts(parts, letter, folded(text));
  }
  return [...parts].sort();
}

/** The parts as a member of the stored form; empty if there are none. */
export function storedParts(type: string, body: Readonly<Record<string, unknown>>): { readonly parts?: string[] } {
  const parts = partsOf(type, body);
  return parts.length > 0 ? { parts } : {};
}

/** Most texts are ASCII, where a letter and its other case are one UTF-16 unit each. */
const ASCII = /^[\x20-\x7e]*$/;

/** A fast `addParts` for ASCII texts. */
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

/** A condition on the stored parts: one of them equals one of `anyOf`, or begins with one of `beginning`. */
export interface SoughtParts {
  readonly anyOf: readonly string[];
  readonly beginning: readonly string[];
}

/**
 * Conditions that a text's parts meet if it contains `contained`; none if that is too short. Its offset in the text is
 * unknown: it may begin where a part begins, or at any character before the next part.
 */
export function soughtParts(letter: string, contained: string): readonly SoughtParts[] {
  const text = Array.from(contained);
  const stride = strideOf(letter);
  if (text.length < stride) return [];
  // The database finds out which position in a long text is rare: references often begin alike and differ at the end.
  const last = Math.max(0, text.length - LENGTH - stride + 1);
  return [...new Set([last, Math.floor(last / 2), 0])].map((from) => {
    const near = text.slice(from, from + stride + LENGTH).map(foldedCharacter);
    const begun = Array.from({ length: stride }, (_, i) => near.slice(i, i + LENGTH));
    const written = (whole: boolean): string[] =>
      begun.filter(({ length }) => (length === LENGTH) === whole).map((part) => letter + part.join(''));
    return { anyOf: [letter, ...written(true)], beginning: written(false) };
  });
}

/** The characters of a text, folded for case-insensitive comparison. */
const folded = (text: string): readonly string[] => Array.from(text, foldedCharacter);

/** Folds a character to exactly one, so that offsets in a text stay the same; ſ, K and ς share a capital with s, k and σ. */
export function foldedCharacter(character: string): string {
  const upper = character.toUpperCase();
  const lower = (isOne(upper) ? upper : character).toLowerCase();
  return isOne(lower) ? lower : character;
}

const isOne = (text: string): boolean =>
  text.length === 1 || (text.length === 2 && text.codePointAt(0) !== text.charCodeAt(0));
