import test from 'ava';
import { commitMessage, subjectOf, trailerValue } from '../../../src/git/message.js';

test('a subject is one line of at most 200 characters', (t) => {
  t.is(subjectOf('Publish', '  A\n\tB\0C\u2028D '), 'Publish: A B C D');
  t.is(subjectOf('Update', ''), 'Update: Untitled');
  t.is(subjectOf('Update', '\n\0 '), 'Update: Untitled');
  const long = subjectOf('Publish', '😀'.repeat(500_000));
  t.is(Array.from(long).length, 200);
  t.true(long.isWellFormed() && long.endsWith('😀…'));
});

test('trailers stay what they are', (t) => {
  for (const plain of ['a', 'Ünïcode id', 'a: b', '-x', '#1']) t.is(trailerValue(plain), plain);
  for (const odd of [
    '',
    ' a',
    'a ',
    '"a"',
    'a\nB: c',
    '\0',
    '\u2028',
    '\u202e',
    '\u007f',
    'a\u{e0001}',
    '\ud800',
  ]) {
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
});
