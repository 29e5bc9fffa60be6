import fs from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** The values of Pressmark's secrets in the forms in which files may hold them, for `holdsSecret`. */
export type Secrets = readonly string[];

/** The names of Pressmark's variables that are secrets. */
const OWN_NAME = /PRESSMARK_(?:SECRET|DEPLOY|STATUS)/i;

/** A shorter secret is a word that files hold by chance. In characters. */
const SHORTEST = 8;

/** So much of a long file is looked at at once, in bytes. */
const CHUNK = 2 ** 20;

/** Whether a name is that of settings for an environment, or of a copy of them: `.env`, `.env.local`, `#.env#`, `.envrc`, `prod.env~`. */
export function isEnvName(name: string): boolean {
  return /\.env/i.test(name);
}

/** The secrets of an environment and of the `.env` of a site. */
export function secretsOf(siteDir: string, env: NodeJS.Dict<string>): Secrets {
  const ofSite = parsed(readIfThere(join(siteDir, '.env')) ?? '');
  const set = [...Object.entries(ofSite), ...Object.entries(env)].filter(([name]) => OWN_NAME.test(name));
  // There may be several in one variable, and an editor's file may hold a value of several lines line by line.
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
 * The text of a file of settings for an environment, one character for each byte, without Pressmark's own variables and
 * without values that hold a secret; as it is where it has none. It is read as Pressmark and Node.js read it, and not line by
 * line, as a value may have several.
 *
 * @returns undefined for what cannot be read so, which must not be copied.
 */
export function withoutSecrets(text: string, secrets: Secrets): string | undefined {
  const bytes = secrets.map((secret) => Buffer.from(secret, 'utf8').toString('latin1'));
  const isClean = (part: string) => !OWN_NAME.test(part) && !bytes.some((secret) => part.includes(secret));
  if (text.includes('\0')) return undefined; // an editor's own form, or UTF-16
  if (isClean(text)) return text;
  const lines = Object.entries(parsed(text)).flatMap(([name, value = '']) => {
    const shown = quoted(value);
    return /^[\w.-]+$/.test(name) && shown !== undefined && isClean(`${name}=${value}`)
      ? [`${name}=${shown}\n`]
      : [];
  });
  const kept = lines.join('');
  return isClean(kept) ? kept : undefined;
}

/** What the text of such a file sets; of one with a byte order mark, too. */
function parsed(text: string): NodeJS.Dict<string> {
  return parseEnv(text.replace(/^(?:\u00ef\u00bb\u00bf|\ufeff)/, ''));
}

/** A value as such a file has it; undefined if no quotes can hold it. */
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
