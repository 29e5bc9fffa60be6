/**
 * The literal parts of a JavaScript or TypeScript file, found by reading. Nothing is executed, so what a file computes
 * stays unknown.
 */

/** An object literal's keys and the source of their values, in their order. */
export type ObjectSource = ReadonlyMap<string, string>;

/** The source without its comments, which become spaces, so that positions stay. */
export function withoutComments(source: string): string {
  return source.replace(
    /(["'])(?:\\.|(?!\1)[^\\\n])*\1|`(?:\\.|[^\\`])*`|\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*/g,
    (match) => (match.startsWith('/') ? match.replace(/[^\n]/g, ' ') : match),
  );
}

/** The position behind the bracket that closes the one at `open`; -1 where nothing does. */
export function closing(source: string, open: number): number {
  let depth = 0;
  for (let at = open; at < source.length; at++) {
    const char = source.charAt(at);
    if (char === '"' || char === "'" || char === '`') at = endOfString(source, at);
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function endOfString(source: string, start: number): number {
  const quote = source.charAt(start);
  for (let at = start + 1; at < source.length; at++) {
    if (source.charAt(at) === '\\') at += 1;
    else if (source.charAt(at) === quote) return at;
  }
  return source.length;
}

/** The parts of a list of arguments or entries between `open` and its closing bracket, without their commas. */
function parts(source: string, open: number): string[] {
  const end = closing(source, open);
  const found: string[] = [];
  let from = open + 1;
  for (let at = from; at < end - 1; at++) {
    const char = source.charAt(at);
    if (char === '"' || char === "'" || char === '`') at = endOfString(source, at);
    else if ('([{'.includes(char)) at = closing(source, at) - 1;
    else if (char === ',') {
      found.push(source.slice(from, at));
      from = at + 1;
    }
  }
  if (end > 0) found.push(source.slice(from, end - 1));
  return found.map((part) => part.trim()).filter((part) => part !== '');
}

/** Reads an object literal; empty where the source is something else. */
export function objectSource(source: string | undefined): ObjectSource {
  const text = source?.trim() ?? '';
  const entries = new Map<string, string>();
  if (!text.startsWith('{')) return entries;
  for (const part of parts(text, 0)) {
    const named = /^(?:(["'])(.+?)\1|([\w$]+))\s*(?::([\s\S]*))?$/.exec(part);
    const name = named?.[2] ?? named?.[3];
    if (name !== undefined) entries.set(name, (named?.[4] ?? name).trim());
    else {
      const method = /^(?:async\s+)?([\w$]+)\s*\(/.exec(part)?.[1];
      if (method !== undefined) entries.set(method, part);
    }
  }
  return entries;
}

/** An argument of a call, by default the first, such as the object of `defineConfig({…})`. */
export function argumentOf(source: string, call: RegExp, n = 0): string | undefined {
  const found = call.exec(source);
  if (found === null) return undefined;
  const open = source.indexOf('(', found.index + found[0].length - 1);
  return open === -1 ? undefined : parts(source, open)[n];
}

/**
 * The value of a name that the source declares as a constant, or of a member of such an object, such as
 * `SITE.website`; every other expression as it is.
 */
export function resolved(expression: string | undefined, source: string): string | undefined {
  const [, name, member] = /^([\w$]+)(?:\.([\w$]+))?$/.exec(expression ?? '') ?? [];
  if (name === undefined) return expression;
  const declared = new RegExp(`\\b(?:const|let|var)\\s+${name.replaceAll('$', '\\$')}\\b[^=]*=\\s*`).exec(
    source,
  );
  if (declared === null) return expression;
  const value = expressionAt(source, declared.index + declared[0].length);
  return member === undefined ? value : (objectSource(value).get(member) ?? expression);
}

/** An expression with its brackets emptied: `z.object().optional()`, whatever is in the object. */
export function outline(expression: string): string {
  let found = '';
  for (let at = 0; at < expression.length; at++) {
    const char = expression.charAt(at);
    found += char;
    if (!'([{'.includes(char)) continue;
    const end = closing(expression, at);
    if (end === -1) break;
    found += expression.charAt(end - 1);
    at = end - 1;
  }
  return found;
}

/** The expression that starts at a position: to the `;`, or the line end, at which no bracket is open. */
function expressionAt(source: string, start: number): string {
  for (let at = start; at < source.length; at++) {
    const char = source.charAt(at);
    if (char === '"' || char === "'" || char === '`') at = endOfString(source, at);
    else if ('([{'.includes(char)) {
      const end = closing(source, at);
      if (end === -1) break;
      at = end - 1;
    } else if (
      char === ';' ||
      (char === '\n' &&
        !/^\s*[.?:=&|(]/.test(source.slice(at + 1)) &&
        !/[=>(]\s*$/.test(source.slice(start, at)))
    )
      return source.slice(start, at).trim();
  }
  return source.slice(start).trim();
}

/** A string literal's text; undefined for every other expression. */
export function stringOf(expression: string | undefined): string | undefined {
  const found =
    /^(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.)*)`)(?:\s+as\s+const)?$/.exec(
      expression?.trim() ?? '',
    );
  return (found?.[1] ?? found?.[2] ?? found?.[3])?.replace(/\\(.)/g, '$1');
}

/** The texts of a list of string literals, or of a single one. */
export function stringsOf(expression: string | undefined): string[] {
  const text = expression?.trim() ?? '';
  if (!text.startsWith('[')) return [stringOf(text)].filter((item) => item !== undefined);
  return parts(text, 0)
    .map(stringOf)
    .filter((item) => item !== undefined);
}
