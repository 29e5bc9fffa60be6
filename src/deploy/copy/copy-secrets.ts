import fs from 'node:fs';
import { join } from 'node:path';
import { SECRET_NAME, variablesIn } from '../../child-environment.js';

/** The values of Pressmark's secrets, in the forms that files may hold. */
export type Secrets = readonly string[];

/** The shortest secret to search for, in characters: a shorter one may occur by chance. */
const SHORTEST = 8;

/** How much of a long file is read at once, in bytes. */
const CHUNK = 2 ** 20;

/**
 * Whether a file name belongs to environment settings or a backup of them: `.env`, `.env.local`, `#.env#`, `.envrc`,
 * `prod.env~`.
 */
export function isEnvName(name: string): boolean {
  return /\.env/i.test(name);
}

/** The secrets of an environment and of a site's `.env`. */
export function secretsOf(siteDir: string, env: NodeJS.Dict<string>): Secrets {
  const ofSite = variablesIn(readIfThere(join(siteDir, '.env')) ?? '');
  const set = [...Object.entries(ofSite), ...Object.entries(env)].filter(([name]) => SECRET_NAME.test(name));
  // A variable may hold several secrets, and an editor's file may hold a multi-line value line by line.
  const parts = set.flatMap(([, value = '']) => [value, ...value.split(/[,\r\n]+/)]);
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part.length >= SHORTEST))];
}

/** Whether a file holds one of these secrets, whatever its name. */
export async function holdsSecret(path: string, size: number, secrets: Secrets): Promise<boolean> {
  if (secrets.length === 0) return false;
  const wanted = secrets.flatMap((secret) => [Buffer.from(secret, 'utf8'), Buffer.from(secret, 'utf16le')]);
  const isIn = (bytes: Buffer) => wanted.some((one) => bytes.includes(one));
  if (size <= CHUNK) return isIn(await fs.promises.readFile(path));
  const longest = Math.max(...wanted.map(({ length }) => length));
  let end: Buffer = Buffer.alloc(0);
  for await (const chunk of fs.createReadStream(path, { highWaterMark: CHUNK })) {
    const bytes = Buffer.concat([end, chunk]);
    if (isIn(bytes)) return true;
    end = bytes.subarray(Math.max(0, bytes.length - longest + 1));
  }
  return false;
}

/**
 * Removes Pressmark's secrets, and values that hold one, from the text of an environment file, one character for each byte. A
 * text without them stays unchanged. The text is parsed as by Node.js, not line by line, as values may have several lines.
 *
 * @returns undefined for a text that cannot be parsed, which must not be copied.
 */
export function withoutSecrets(text: string, secrets: Secrets): string | undefined {
  const bytes = secrets.map((secret) => Buffer.from(secret, 'utf8').toString('latin1'));
  const isClean = (part: string) => !SECRET_NAME.test(part) && !bytes.some((secret) => part.includes(secret));
  if (text.includes('\0')) return undefined; // an editor's own form, or UTF-16
  if (isClean(text)) return text;
  const lines = Object.entries(variablesIn(text)).flatMap(([name, value = '']) => {
    const shown = quoted(value);
    return /^[\w.-]+$/.test(name) && shown !== undefined && isClean(`${name}=${value}`)
      ? [`${name}=${shown}\n`]
      : [];
  });
  const kept = lines.join('');
  return isClean(kept) ? kept : undefined;
}

/** A quoted value for such a file; undefined if no quotes can hold it. */
function quoted(value: string): string | undefined {
  if (/^[\w./:@%+,-]*$/.test(value)) return value;
  // Within double quotes `\n` is a line end.
  const quote = ['"', "'", '`'].find((one) => !value.includes(one) && (one !== '"' || !value.includes('\\')));
  return quote === undefined ? undefined : `${quote}${value}${quote}`;
}

function readIfThere(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return undefined; // it is not there, or cannot be read, as the settings' reader says
  }
}
