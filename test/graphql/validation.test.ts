import { type ASTVisitor, BREAK, parse, specifiedRules, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { validateAtOnce } from '../../src/graphql/validation/validation.ts';
import { type Draw, drawFrom, OperationWriter } from './generated-operation.ts';

const CASES = 150;

/** A text with some names replaced by others. */
function garbled(text: string, draw: Draw): string {
  const names = text.match(/[A-Za-z_]\w*/g) ?? [];
  return text.replace(/[A-Za-z_]\w*/g, (name) => (draw(30) === 0 ? (names[draw(names.length)] ?? name) : name));
}

function parsed(text: string) {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

describe('validation with all rules in one pass', () => {
  it('finds what graphql-js finds, in the same order', () => {
    const counts = { valid: 0, invalid: 0, several: 0 };
    for (let seed = 0; seed < CASES; seed += 1) {
      const draw = drawFrom(seed);
      const { text } = new OperationWriter(schema, { id: ['x'], first: [1, 2] }, draw).write();
      for (const each of [text, garbled(text, draw), garbled(text, draw)]) {
        const document = parsed(each);
        if (!document) continue;
        const expected = validate(schema, document);
        expect(
          validateAtOnce(schema, document).map((error) => error.toJSON()),
          each,
        ).toEqual(expected.map((error) => error.toJSON()));
        counts[expected.length === 0 ? 'valid' : expected.length === 1 ? 'invalid' : 'several'] += 1;
      }
    }
    expect(counts.valid).toBeGreaterThan(CASES / 4);
    expect(counts.invalid).toBeGreaterThan(CASES / 20);
    expect(counts.several).toBeGreaterThan(CASES / 20);
  });

  it('stops after a hundred errors, as graphql-js does', () => {
    const document = parse(`{ ${Array.from({ length: 120 }, (_, index) => `nothing${index}`).join(' ')} }`);
    expect(validateAtOnce(schema, document)).toHaveLength(101);
    expect(validateAtOnce(schema, document)).toEqual(validate(schema, document));
  });

  it('skips what a rule skips, and visits every kind of node for a rule that needs it', () => {
    const visits = (run: typeof validate) => {
      const seen: string[] = [];
      const rule = (visitor: ASTVisitor) => () => visitor;
      const say = (what: string) => (node: { readonly kind: string }) => void seen.push(`${what} ${node.kind}`);
      run(schema, parse('query A($id: UUID) { jobs(workspace: $id) { nodes { id } } health { status } }'), [
        rule({ enter: say('enter'), leave: say('leave') }),
        rule({ Field: { enter: say('enter'), leave: say('leave') }, Name: say('enter') }),
        rule({ OperationDefinition: { enter: () => false, leave: say('never') }, Field: say('never') }),
        rule({ Field: () => BREAK, Name: say('before the first field'), leave: say('never') }),
        ...specifiedRules,
      ]);
      return seen;
    };
    expect(visits(validateAtOnce)).toEqual(visits(validate));
  });
});
