import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** A random source: whole numbers from 0, below `count`. */
export type Draw = (count: number) => number;

/** Mulberry32: the same numbers for the same seed. */
export function drawFrom(seed: number): Draw {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

/** An operation and its variables. */
export interface GeneratedOperation {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Useful values, by the name of the argument or input field. */
export type Values = Readonly<Record<string, readonly unknown[]>>;

const MAX_DEPTH = 4;
const MAX_FIELDS = 14;
const ALIASES = ['a', 'b', 'constructor', 'toString', 'idx1'];
/** Without a signed-in user it is an error without any data. */
const SESSION = 'session';
const TEXTS = ['', 'x', 'load', '2024-05-01T10:00:00Z', 'é"\\\n', '0190aa00-1111-7222-8333-123456789012'];

interface Fragment {
  readonly name: string;
  readonly type: GraphQLCompositeType;
  readonly text: string;
}

/** Writes a query over a schema: fields, aliases, fragments, conditions, literals, variables and their values. */
export class OperationWriter {
  /** Fields chosen three times out of four where a type has them; optional arguments are then mostly omitted. */
  preferred: ReadonlySet<string> = new Set();
  readonly #schema: GraphQLSchema;
  readonly #values: Values;
  readonly #draw: Draw;
  readonly #definitions: string[] = [];
  readonly #fragments: Fragment[] = [];
  readonly #given: Record<string, unknown> = {};
  #aliases = 0;
  #left = MAX_FIELDS;

  constructor(schema: GraphQLSchema, values: Values, draw: Draw) {
    this.#schema = schema;
    this.#values = values;
    this.#draw = draw;
  }

  write(): GeneratedOperation {
    const root = this.#schema.getQueryType();
    if (!root) throw new Error('the schema has no queries');
    const selection = this.#selection(root, 0);
    const definitions = this.#definitions.length > 0 ? `(${this.#definitions.join(', ')})` : '';
    const fragments = this.#fragments.map(({ text }) => text);
    return { text: [`query Generated${definitions} ${selection}`, ...fragments].join('\n'), variables: this.#given };
  }

  #chance(percent: number): boolean {
    return this.#draw(100) < percent;
  }

  #pick<T>(from: readonly T[]): T {
    const one = from[this.#draw(from.length)];
    if (one === undefined) throw new Error('there is nothing to pick from');
    return one;
  }

  #selection(type: GraphQLCompositeType, depth: number): string {
    const count = this.#left > 0 ? 1 + this.#draw(depth === 0 ? 2 : 4) : 1;
    const parts: string[] = [];
    for (let i = 0; i < count; i += 1) parts.push(this.#part(type, depth));
    if (this.#chance(15)) parts.push(this.#pick(parts)); // the same again, to be merged
    return `{ ${parts.join(' ')} }`;
  }

  #part(type: GraphQLCompositeType, depth: number): string {
    if (this.#chance(8)) return `__typename${this.#condition()}`;
    if (this.#chance(15)) return this.#inlineFragment(type, depth);
    if (this.#chance(20)) return `...${this.#fragmentOn(type, depth)}${this.#condition()}`;
    if (!('getFields' in type) || this.#left <= 0) return '__typename';
    this.#left -= 1;
    const fields = Object.values(type.getFields());
    const fitting = fields.filter(
      ({ name, type: of }) => name !== SESSION && (depth < MAX_DEPTH || !isCompositeType(getNamedType(of))),
    );
    const preferred = this.preferred.size > 0 ? fitting.filter(({ name }) => this.preferred.has(name)) : [];
    if (preferred.length > 0 && this.#chance(75)) return this.#field(this.#pick(preferred), depth);
    return fitting.length === 0 ? '__typename' : this.#field(this.#pick(fitting), depth);
  }

  #inlineFragment(type: GraphQLCompositeType, depth: number): string {
    const related = isAbstractType(type)
      ? [type, ...this.#schema.getPossibleTypes(type)]
      : [type, ...(isObjectType(type) ? type.getInterfaces() : [])];
    const on = this.#chance(30) ? undefined : this.#pick(related);
    return `... ${on ? `on ${on.name}` : ''}${this.#condition()} ${this.#selection(on ?? type, depth + 1)}`;
  }

  #fragmentOn(type: GraphQLCompositeType, depth: number): string {
    const known = this.#fragments.filter((one) => one.type === type);
    if (known.length > 0 && this.#chance(60)) return this.#pick(known).name;
    const selection = this.#selection(type, Math.max(depth, MAX_DEPTH - 2));
    const name = `F${this.#fragments.length}`; // named once complete, so that it cannot spread itself
    this.#fragments.push({ name, type, text: `fragment ${name} on ${type.name} ${selection}` });
    return name;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const given = field.args.filter((one) => this.#isGiven(one));
    const texts = given.map((one) => `${one.name}: ${this.#argument(one)}`);
    const texted = texts.length > 0 ? `(${texts.join(', ')})` : '';
    const named = getNamedType(field.type);
    const below = isCompositeType(named) ? ` ${this.#selection(named, depth + 1)}` : '';
    return `${this.#alias(field, texts.length > 0)}${field.name}${texted}${this.#condition()}${below}`;
  }

  /** Aliases a field with arguments, or one that could be confused with others. */
  #alias(field: GraphQLField<unknown, unknown>, hasArguments: boolean): string {
    if (!hasArguments && field.args.length === 0 && this.#chance(80)) return '';
    this.#aliases += 1;
    const name = this.#chance(1)
      ? '__proto__'
      : this.#chance(25)
        ? this.#pick(ALIASES)
        : `${field.name}${this.#aliases}`;
    return `${name}: `;
  }

  #isGiven({ type, name, defaultValue }: GraphQLArgument): boolean {
    if (isNonNullType(type) && defaultValue === undefined) return true;
    return this.#chance(name in this.#values ? 60 : this.preferred.size > 0 ? 3 : 12);
  }

  #condition(): string {
    if (!this.#chance(15)) return '';
    const directive = this.#pick(['skip', 'include']);
    const value = this.#chance(60) ? this.#conditionVariable() : String(this.#chance(50));
    return ` @${directive}(if: ${value})`;
  }

  #conditions: string[] = [];

  #conditionVariable(): string {
    if (this.#conditions.length > 0 && this.#chance(50)) return this.#pick(this.#conditions);
    const name = `if${this.#conditions.length}`;
    this.#conditions.push(`$${name}`);
    const hasDefault = this.#chance(50);
    this.#definitions.push(`$${name}: Boolean${hasDefault ? ` = ${this.#chance(50)}` : '!'}`);
    if (!hasDefault || this.#chance(60)) this.#given[name] = this.#chance(95) ? this.#chance(50) : null;
    return `$${name}`;
  }

  #argument({ name, type, defaultValue }: GraphQLArgument): string {
    return this.#chance(35) ? this.#variable(type, name, defaultValue !== undefined) : this.#literal(type, name, 0);
  }

  /** A variable of a type, or of its nullable or required form where allowed, provided or not. */
  #variable(type: GraphQLInputType, name: string, mayBeNull = false): string {
    const own = `v${this.#definitions.length}`;
    const hasDefault = this.#chance(30);
    const nullable = hasDefault || mayBeNull ? getNullableType(type) : type;
    const declared = !isNonNullType(nullable) && this.#chance(20) ? `${nullable}!` : String(nullable);
    this.#definitions.push(''); // its position: a literal has no variables here
    const place = this.#definitions.length - 1;
    const text = hasDefault ? ` = ${this.#constant(type, name)}` : '';
    this.#definitions[place] = `$${own}: ${declared}${text}`;
    if (!declared.endsWith('!') ? this.#chance(70) : this.#chance(hasDefault ? 60 : 97)) {
      this.#given[own] = this.#chance(6) ? null : this.#chance(4) ? { wrong: true } : this.#json(type, name, 0);
    }
    return `$${own}`;
  }

  #constant(type: GraphQLInputType, name: string): string {
    return printed(this.#json(getNullableType(type), name, 2), getNullableType(type));
  }

  #literal(type: GraphQLInputType, name: string, depth: number): string {
    if (!isNonNullType(type) && this.#chance(5)) return 'null';
    if (depth > 0 && this.#chance(15)) return this.#variable(type, name);
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      if (this.#chance(15)) return this.#literal(nullable.ofType, name, depth + 1); // a single item without brackets
      const items = Array.from({ length: this.#draw(3) }, () => this.#literal(nullable.ofType, name, depth + 1));
      return `[${items.join(', ')}]`;
    }
    if (!isInputObjectType(nullable)) return printed(this.#json(nullable, name, depth), nullable);
    const fields = this.#inputFields(nullable, depth);
    return `{${fields.map((field) => `${field.name}: ${this.#literal(field.type, field.name, depth + 1)}`).join(', ')}}`;
  }

  #inputFields(type: GraphQLInputObjectType, depth: number): GraphQLInputField[] {
    const all = Object.values(type.getFields());
    const fitting = all.filter(({ type: of }) => depth < 3 || !isInputObjectType(getNamedType(of)));
    if (type.isOneOf) return fitting.length > 0 ? [this.#pick(fitting)] : [];
    const share = Math.min(90, Math.ceil(150 / Math.max(1, fitting.length)));
    return fitting.filter(({ type: of, defaultValue }) =>
      isNonNullType(of) && defaultValue === undefined ? true : this.#chance(share),
    );
  }

  #json(type: GraphQLInputType, name: string, depth: number): unknown {
    if (!isNonNullType(type) && this.#chance(4)) return null;
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      return Array.from({ length: this.#draw(3) }, () => this.#json(nullable.ofType, name, depth + 1));
    }
    if (isEnumType(nullable)) return this.#pick(nullable.getValues()).name;
    if (isInputObjectType(nullable)) {
      const entries = this.#inputFields(nullable, depth).map((field) => [
        field.name,
        this.#json(field.type, field.name, depth + 1),
      ]);
      return Object.fromEntries(entries);
    }
    const known = this.#values[name];
    if (known && this.#chance(80)) return this.#pick(known);
    return this.#scalar(nullable.name);
  }

  #scalar(name: string): unknown {
    if (name === 'Int') return this.#draw(5);
    if (name === 'Float') return this.#draw(100) / 8;
    if (name === 'Boolean') return this.#chance(50);
    return this.#pick(this.#values[name] ?? TEXTS);
  }
}

/** A JSON value as a GraphQL literal. */
function printed(value: unknown, type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (value === null || value === undefined) return 'null';
  if (isListType(nullable) && Array.isArray(value)) {
    return `[${value.map((one) => printed(one, nullable.ofType)).join(', ')}]`;
  }
  if (isInputObjectType(nullable)) {
    const fields = nullable.getFields();
    const entries = Object.entries(value).flatMap(([name, one]) => {
      const field = fields[name];
      return field ? [`${name}: ${printed(one, field.type)}`] : [];
    });
    return `{${entries.join(', ')}}`;
  }
  return isEnumType(nullable) ? String(value) : JSON.stringify(value);
}
