import { RawJson } from '../../src/model/raw-json.ts';

/** The JSON text of a value; the text of a RawJson is copied as it is. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  return value === undefined ? 'null' : JSON.stringify(value);
}
