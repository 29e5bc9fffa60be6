import test from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../../src/article/article.js';
import type { ArticleData } from '../../../../src/contract/envelope.js';
import {
  commitMessage,
  createMessages,
  messageText,
  trailerValue,
} from '../../../../src/git/commit/message.js';
import { createHooks } from '../../../../src/host/hooks/hooks.js';
import { article as published } from '../../../support/events.js';

const article = (title: string) => ({ id: 'i', slug: 's', revision: 'r', author: 'A', title });

test('a subject is one line of at most 200 characters', (t) => {
  t.is(messageText('Publish', article('  A\n\tB\0C\u2028D ')), 'Publish: A B C D');
  t.is(messageText('Update', article('')), 'Update: Untitled');
  t.is(messageText('Publish', article('Fixes #1 # a')), 'Publish: Fixes #\u20601 # a');
  t.is(messageText('Publish', article('Closes gh-1')), 'Publish: Closes gh-\u20601');
  t.is(
    messageText('Publish', article('Why [skip ci], [CI skip] [a]?')),
    'Publish: Why [\u2060skip ci], [\u2060CI skip] [a]?',
  );
  t.is(messageText('Update', article('\n\0 ')), 'Update: Untitled');
  const long = messageText('Publish', article('😀'.repeat(500_000)));
  t.is(Array.from(long).length, 200);
  t.true(long.isWellFormed() && long.endsWith('😀…'));
});

test('a template places an article’s values, which can add neither lines nor placeholders', (t) => {
  const template = 'content(:slug): :kind “:title” :unknown\n\n:author wrote :id at :revision';
  const hostile = { id: 'i\nj', slug: 's', revision: ':title', author: 'A\n\nB', title: ':id $& $1' };
  t.is(
    messageText('Edit', hostile, template),
    'content(s): Edit “:id $& $1” :unknown\n\nA B wrote i j at :title',
  );
});

test('[skip ci] ends the subject, however long the rest is', (t) => {
  const trailers = { articleId: 'i', revision: 'r' };
  const [subject = ''] = commitMessage('x'.repeat(300), 'f', trailers, { skipCi: true }).split('\n');
  t.is(subject.length, 200);
  t.true(subject.endsWith('x… [skip ci]'));
});

test('a trailer’s value is plain where git reads it back as it is, and quoted as JSON otherwise', (t) => {
  for (const plain of ['a', 'Ünïcode id', 'a: b', '-x', '#1']) t.is(trailerValue(plain), plain);
  for (const odd of ['', ' a', 'a ', '"a"', 'a\nB: c', '\0', '\u2028', 'a\u{e0001}', '\ud800']) {
    const value = trailerValue(odd);
    t.regex(value, /^"[^\p{C}\p{Zl}\p{Zp}]*"$/u);
    t.is(JSON.parse(value), odd);
  }
});

test('a message without a subject gets the fallback; the trailers come last, by themselves', (t) => {
  t.is(
    commitMessage('\n \n', 'Publish: x', { articleId: 'i', revision: 'r' }),
    'Publish: x\n\nArticle-Id: i\nRevision-Id: r\n',
  );
  t.is(
    commitMessage('S\r\nline\0\r\n\r\nArticle-Id: forged\n\n', 'x', { articleId: 'i', revision: 'r' }),
    'S\n\nline\n\nArticle-Id: forged\n\nArticle-Id: i\nRevision-Id: r\n',
  );
  t.is(
    commitMessage('S', 'x', { articleId: 'i', revision: 'r', delivered: '2026-11-19T08:00:00Z' }),
    'S\n\nArticle-Id: i\nRevision-Id: r\nDelivery-Timestamp: 2026-11-19T08:00:00Z\n',
  );
});

test('where a filter returns no text, the commit has its own message, and the log names the plugin', async (t) => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
  const hooks = createHooks(log);
  hooks.addFilter('git.message', () => null as never, { plugin: 'mistaken' });
  const message = createMessages({ hooks, log, template: undefined, skipCi: false });
  const draft = draftOf(published({ title: 'Soil' }) as unknown as ArticleData);
  const soil = { ...draft, url: 'https://garden.example/soil/', revision: 'r1', updated: null };
  t.true((await message('Publish', 'soil.md', { article: soil, text: '' })).startsWith('Publish: Soil\n'));
  t.regex(lines.join(''), /filter git\.message of plugin mistaken returned /);
});

test('an id and a revision of an absurd length are in the trailers by their digests', async (t) => {
  const log = pino({ level: 'silent' });
  const message = createMessages({ hooks: createHooks(log), log, template: undefined, skipCi: false });
  const draft = draftOf(published({ id: 'i\u2028'.repeat(1_000) }) as unknown as ArticleData);
  const soil = { ...draft, url: 'https://garden.example/soil/', revision: 'r'.repeat(2_000), updated: null };
  const text = await message('Publish', 'soil.md', { article: soil, text: '' });
  t.regex(text, /^Article-Id: sha256-[0-9a-f]{64}\nRevision-Id: sha256-[0-9a-f]{64}$/m);
});
