import type { FrontMatterValue, KeyNames } from '../../article/format/mapping.js';
import { readingYaml } from '../../article/front-matter/libraries.js';
import { schema } from '../../config/schema.js';
import { type Service, serviceSetting } from '../../contract/service.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import type { Problem, Question } from '../../generators/generator.js';
import { FIELD_NAMES } from '../../generators/inspect/post-fields.js';

/** The answers to `init`, from its command line or from a person. */
export interface Answers {
  readonly generator?: string;
  readonly siteUrl?: string;
  /** The service's name in the config. */
  readonly service?: ReturnType<typeof serviceSetting>;
  readonly content?: string;
  readonly file?: string;
  readonly permalink?: string;
  readonly output?: string;
  readonly build?: string;
  /** Names of front matter keys, by the fields of an article. */
  readonly keys?: Partial<KeyNames>;
  readonly frontMatter?: Readonly<Record<string, FrontMatterValue>>;
  readonly body?: 'markdown' | 'html';
}

/** Adds the service's name to the answers. */
export function withService(answers: Answers, service: Service): Answers {
  return { ...answers, service: serviceSetting(service) };
}

/** A question that a flag of `init`, or a person on a terminal, answers. */
export interface InitQuestion extends Omit<Question, 'flag'> {
  readonly flag: Question['flag'] | 'site-url' | 'generator' | 'key';
}

/** The flags for a single setting: its name in the config, and the reader of its value. */
const SETTINGS = {
  'site-url': { name: 'siteUrl', setting: 'siteUrl', value: 'url' },
  content: { name: 'content', setting: 'content', value: 'folder' },
  file: { name: 'file', setting: 'articles.file', value: 'pattern' },
  permalink: { name: 'permalink', setting: 'articles.permalink', value: 'pattern' },
  output: { name: 'output', setting: 'output', value: 'folder' },
  build: { name: 'build', setting: 'build', value: 'command' },
} as const;

/** The fields of an article whose keys can be renamed. */
const FIELDS = Object.keys(FIELD_NAMES);

/**
 * Adds an answer.
 *
 * @param text for `front-matter`: a value if the question names the key, otherwise `key=value`.
 * @throws PressmarkError USAGE if it is not a possible answer.
 */
export function withAnswer(
  answers: Answers,
  { flag, key }: Pick<InitQuestion, 'flag' | 'key'>,
  text: string,
): Answers {
  if (flag === 'generator') return { ...answers, generator: text };
  if (flag === 'key') return { ...answers, keys: { ...answers.keys, ...keyOf(text) } };
  if (flag === 'front-matter') {
    const added = key === undefined ? keyValue(text) : { [key]: parsedValue(key, text) };
    return { ...answers, frontMatter: { ...answers.frontMatter, ...added } };
  }
  const { name, setting } = SETTINGS[flag];
  const value = flag === 'site-url' ? text.replace(/\/+$/, '') : text;
  const checked = schema.safeParse(
    setting.startsWith('articles.') ? { articles: { [name]: value } } : { [name]: value },
  );
  if (!checked.success)
    throw new PressmarkError(
      'USAGE',
      `--${flag} ${quote(text, 200)}: it ${checked.error.issues[0]?.message ?? 'is not possible'}`,
    );
  return { ...answers, [name]: value };
}

/** Reads `image=cover.image`, or `image=none` for a field without a key. */
function keyOf(text: string): Partial<KeyNames> {
  const [, field = '', key = ''] = /^(\w+)=(\S+)$/.exec(text) ?? [];
  if (!FIELDS.includes(field))
    throw new PressmarkError(
      'USAGE',
      `--key ${quote(text, 200)} must have the form field=key, such as image=cover; the fields are ${FIELDS.join(', ')}`,
    );
  return { [field]: key === 'none' ? null : key };
}

function keyValue(text: string): Record<string, FrontMatterValue> {
  const [, key, value] = /^([^=\s][^=]*)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined)
    throw new PressmarkError(
      'USAGE',
      `--front-matter ${quote(text, 200)} must have the form key=value, such as layout=post`,
    );
  return { [key.trim()]: parsedValue(key.trim(), value) };
}

/** Reads a value as in YAML: `true`, `3`, `[a, b]`, `"3"` or a text without quotes. */
function parsedValue(key: string, text: string): FrontMatterValue {
  const refuse = (why: string) =>
    new PressmarkError('USAGE', `--front-matter ${key}=${text.slice(0, 200)}: ${why}`);
  let value: unknown;
  try {
    value = readingYaml().load(text, { schema: readingYaml().CORE_SCHEMA });
  } catch (error) {
    throw refuse(`the value is not valid YAML, ${messageOf(error).split('\n', 1)[0]}`);
  }
  if (value == null) return '';
  if (!isFrontMatterValue(value))
    throw refuse('the value must be a text, a number, true, false, or a list of these');
  return value;
}

function isFrontMatterValue(value: unknown): value is FrontMatterValue {
  if (Array.isArray(value)) return value.every(isFrontMatterValue);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isFrontMatterValue);
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Whether a question is already answered. */
export function isAnswered({ flag, key }: InitQuestion, answers: Answers): boolean {
  if (flag === 'generator') return answers.generator !== undefined;
  if (flag === 'key') return answers.keys !== undefined;
  if (flag !== 'front-matter') return answers[SETTINGS[flag].name] !== undefined;
  const { frontMatter } = answers;
  return key === undefined ? frontMatter !== undefined : frontMatter !== undefined && key in frontMatter;
}

/** The note about a proposal that was taken without asking. The address is left out, as every `init` mentions it. */
export function assumption({ flag, key, text, fallback }: InitQuestion): Problem[] {
  if (flag === 'site-url' || flag === 'generator' || flag === 'key' || fallback === undefined) return [];
  const setting = flag === 'front-matter' ? `articles.frontMatter.${key ?? '<key>'}` : SETTINGS[flag].setting;
  const fix = `${quote(fallback, 200)} was taken. If that is wrong, change ${setting} in pressmark.config.mjs before the first article.`;
  return [{ level: 'warn', text, fix }];
}

/** A question's flag with an example value, for a message. */
export function flagText({ flag, key }: InitQuestion): string {
  if (flag === 'front-matter') return `--front-matter ${key ?? '<key>'}=<value>`;
  if (flag === 'generator') return '--generator <name>';
  return flag === 'key' ? '--key <field=key>' : `--${flag} <${SETTINGS[flag].value}>`;
}
