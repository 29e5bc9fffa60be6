import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { LANGUAGES, languageFor, phrasesOf, wordsIn } from '../../../src/admin/words.js';

const ROOM = fileURLToPath(new URL('../../../../src/admin/', import.meta.url));

const filesIn = (folder: string, end: string) =>
  fs
    .readdirSync(join(ROOM, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => ({ name, text: fs.readFileSync(join(ROOM, folder, name), 'utf8') }));

const VIEWS = filesIn('views', '.eta');

/** The names in braces of a phrase. */
const valuesIn = (phrase: unknown) =>
  [...new Set([...JSON.stringify(phrase).matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();

test('every language has every phrase, with the same values in it', (t) => {
  const english = phrasesOf('en');
  for (const language of LANGUAGES) {
    const phrases = phrasesOf(language);
    t.deepEqual([...phrases.keys()].sort(), [...english.keys()].sort(), language);
    for (const [key, phrase] of english)
      t.deepEqual(valuesIn(phrases.get(key)), valuesIn(phrase), `${language}: ${key}`);
  }
});

test('every phrase that the room names is there, and every phrase is named', (t) => {
  const code = [...VIEWS, ...filesIn('.', '.ts')].map(({ text }) => text).join('\n');
  const keys = phrasesOf('en');
  const sections = new Set([...keys.keys()].map((key) => key.split('.', 1)[0]));
  const named = [...code.matchAll(/'([a-z]\w*)\.(\w+)'/g)].flatMap(([, section = '', key = '']) =>
    sections.has(section) ? [`${section}.${key}`] : [],
  );
  for (const key of named) t.true(keys.has(key), key);
  // A key that is put together is named by its beginning.
  const begun = [...code.matchAll(/['`]([a-z]\w*\.\w*)(?:'\s*\+|\$\{)/g)].map(([, start = '']) => start);
  for (const key of keys.keys())
    t.true(
      named.includes(key) || begun.some((start) => key.startsWith(start)) || key.endsWith('.title'),
      key,
    );
});

test('no view holds a text of its own, a script, a style or a handler', (t) => {
  for (const { name, text } of VIEWS) {
    const markup = text.replace(/<%[\s\S]*?%>/g, '');
    // What stands on a key of the keyboard is the same in all languages.
    const texts = markup.replace(/<kbd>[^<]*<\/kbd>|<title>[^<]*<\/title>/g, '').replace(/<[^>]*>/g, ' ');
    t.notRegex(texts, /\p{L}/u, name);
    t.notRegex(markup, /\s(?:on\w+|style)\s*=|<style|javascript:/i, name);
    t.notRegex(markup, /\s(?:title|placeholder|aria-label|alt|data-label|data-confirm)="[^"]*\p{L}/u, name);
    for (const [attribute] of text.matchAll(/\s[\w-]+=<%/g)) t.fail(`${name}: ${attribute} has no quotes`);
    t.notRegex(text.replace('<script src="<%= it.script %>" defer></script>', ''), /<script/i, name);
  }
});

test('a view prints nothing unescaped but what helpers of the room have made, and what the host has escaped as HTML', (t) => {
  for (const { name, text } of VIEWS)
    for (const [, made = ''] of text.matchAll(/<%[-_]?~\s*([\s\S]*?)\s*[-_]?%>/g))
      t.regex(
        made,
        /^(?:it\.(?:form|fromPlugin|time|mark|pager)\(|include\('\.\/[\w-]+'|it\.body$|('\\n' \+ )?it\.html(\.\w+)?$|(nameHtml|html)$)/,
        `${name}: ${made}`,
      );
});

test('the language is the first that the browser asks for and that there is', (t) => {
  t.is(languageFor(''), 'en');
  t.is(languageFor('de-CH,fr;q=0.9'), 'de');
  t.is(languageFor('nl, fr;q=0.4, es;q=0.9, de;q=0'), 'es');
  t.is(languageFor(';;,=,q,__proto__'), 'en');
});

test('words say times and numbers as the language does', (t) => {
  const now = () => Date.parse('2026-11-26T12:00:00Z');
  const { ago, moment, number, t: say } = wordsIn('en', 'Europe/Berlin', now);
  t.is(ago('2026-11-26T11:57:00Z'), '3 minutes ago');
  t.is(ago('2026-11-27T13:00:00Z'), 'tomorrow');
  t.is(ago('not a time'), 'not a time');
  t.regex(moment('2026-11-26T11:57:00Z'), /^November 26, 2026 at 12:57:00\sPM$/);
  t.is(number(12_345), '12,345');
  t.is(say('login.often', { count: 1 }), 'Too many attempts. Try again in 1 second.');
  t.is(say('login.often', { count: 1_200 }), 'Too many attempts. Try again in 1,200 seconds.');
  t.is(wordsIn('de', 'UTC', now).ago('2026-11-26T11:57:00Z'), 'vor 3 Minuten');
  t.throws(() => say('nothing.here'), { message: /nothing\.here/ });
});
