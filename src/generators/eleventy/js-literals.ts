/** A property with a literal value, and the keys of the objects around it, such as `['dir', 'input']`. */
export interface LiteralProperty {
  readonly path: readonly string[];
  /** In an array, each literal is a property of its own with the array's path. */
  readonly value: string | number | boolean;
}

/** A call whose first argument is a string or an array of strings, such as `addExtension('md', …)`; also one without. */
export interface LiteralCall {
  readonly name: string;
  readonly strings: readonly string[];
}

/** What a configuration file in JavaScript, TypeScript or JSON says in literals. Nothing is executed. */
export interface Literals {
  readonly properties: readonly LiteralProperty[];
  readonly calls: readonly LiteralCall[];
}

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|[A-Za-z_$][\w$]*|\d+(?:\.\d+)?|\|\||\?\?|=>|\S/g;

const OPENING = new Set(['{', '[', '(']);
const CLOSING = new Set(['}', ']', ')']);

/**
 * Reads the literals of a source text. An expression with a default, such as `address || 'https://a.example'`,
 * counts as its default, and the name of a constant as its literal; any other expression is left out. Comments are
 * skipped.
 */
export function literalsOf(source: string): Literals {
  const tokens = withConstants(
    (source.match(TOKEN) ?? []).filter((token) => !token.startsWith('//') && !token.startsWith('/*')),
  );
  const properties: LiteralProperty[] = [];
  const calls: LiteralCall[] = [];
  /** The keys of the open brackets; empty for a block, a call or an object without a key. */
  const open: { readonly key: string; readonly bracket: string }[] = [];
  let key = '';
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    if (OPENING.has(token)) {
      open.push({ key, bracket: token });
      key = '';
    } else if (CLOSING.has(token)) {
      open.pop();
    }
    const path = () => open.map((one) => one.key).filter((one) => one !== '');
    const before = tokens[index - 1] ?? '';
    const value = literal(token);
    if (next === ':' && (before === '{' || before === ',') && open.at(-1)?.bracket === '{') {
      const name = typeof value === 'string' ? value : token;
      const first = tokens[index + 2] ?? '';
      if (OPENING.has(first)) key = name;
      const found = valueAt(tokens, index + 2);
      if (found !== undefined) properties.push({ path: [...path(), name], value: found });
    } else if (
      open.at(-1)?.bracket === '[' &&
      open.at(-1)?.key !== '' &&
      value !== undefined &&
      endsValue(next)
    ) {
      if (before === '[' || before === ',') properties.push({ path: path(), value });
    }
    if (next === '(' && /^[A-Za-z_$]/.test(token))
      calls.push({ name: token, strings: argumentAt(tokens, index + 2) });
  });
  return { properties, calls };
}

/** The tokens with the literal of a constant wherever its name is a value. */
function withConstants(tokens: readonly string[]): readonly string[] {
  const constants = new Map<string, string>();
  tokens.forEach((token, index) => {
    const [name = '', equals, value = '', next] = tokens.slice(index + 1, index + 5);
    if (token !== 'const' || equals !== '=' || literal(value) === undefined) return;
    // A line may end without a semicolon, and then another statement begins.
    if (endsValue(next) || /^[A-Za-z_$]/.test(next ?? '')) constants.set(name, value);
  });
  if (constants.size === 0) return tokens;
  const open: string[] = [];
  return tokens.flatMap((token, index) => {
    if (OPENING.has(token)) open.push(token);
    if (CLOSING.has(token)) open.pop();
    const value = constants.get(token);
    const before = tokens[index - 1] ?? '';
    if (value === undefined || !/^[:([{,]$/.test(before) || !endsValue(tokens[index + 1])) return [token];
    const isShorthand = open.at(-1) === '{' && before !== ':';
    return isShorthand ? [token, ':', value] : [value];
  });
}

/** The value of the first property whose path ends in these keys. */
export function property(literals: Literals, ...keys: string[]): LiteralProperty['value'] | undefined {
  return literals.properties.find(({ path }) => endsIn(path, keys))?.value;
}

/** The text of the first property whose path ends in these keys; undefined where it is not a text. */
export function text(literals: Literals, ...keys: string[]): string | undefined {
  const value = property(literals, ...keys);
  return typeof value === 'string' ? value : undefined;
}

function endsIn(path: readonly string[], keys: readonly string[]): boolean {
  const start = path.length - keys.length;
  return start >= 0 && keys.every((key, index) => path[start + index] === key);
}

function endsValue(token: string | undefined): boolean {
  return token === undefined || token === ',' || token === ';' || CLOSING.has(token);
}

function valueAt(tokens: readonly string[], at: number): LiteralProperty['value'] | undefined {
  const value = literal(tokens[at] ?? '');
  if (value !== undefined && endsValue(tokens[at + 1])) return value;
  // An expression with a default: its last operand.
  for (let index = at, depth = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    if (token === '=>' || token === '{') return undefined;
    if (depth === 0 && endsValue(token)) return undefined;
    if (OPENING.has(token)) depth++;
    if (CLOSING.has(token)) depth--;
    if (depth === 0 && (token === '||' || token === '??')) {
      const last = literal(tokens[index + 1] ?? '');
      if (last !== undefined && endsValue(tokens[index + 2])) return last;
    }
  }
  return undefined;
}

function argumentAt(tokens: readonly string[], at: number): string[] {
  const strings: string[] = [];
  let index = tokens[at] === '[' ? at + 1 : at;
  for (; index < tokens.length; index += 2) {
    const value = literal(tokens[index] ?? '');
    if (typeof value !== 'string') break;
    strings.push(value);
    if (tokens[at] !== '[' || tokens[index + 1] !== ',') break;
  }
  return strings;
}

function literal(token: string): LiteralProperty['value'] | undefined {
  if (token === 'true' || token === 'false') return token === 'true';
  if (/^\d/.test(token)) return Number(token);
  const quote = token[0];
  if (token.length < 2 || (quote !== "'" && quote !== '"' && quote !== '`') || token.at(-1) !== quote)
    return undefined;
  const inner = token.slice(1, -1);
  if (quote === '`' && inner.includes('${')) return undefined;
  return inner.replace(/\\(u[0-9a-fA-F]{4}|[\s\S])/g, (_, escaped: string) => {
    if (escaped.length === 5) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return { n: '\n', r: '\r', t: '\t', '\n': '' }[escaped] ?? escaped;
  });
}
