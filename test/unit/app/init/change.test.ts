import test from 'ava';
import { diffOf, withLines } from '../../../../src/app/init/change.js';
import { missingIgnoreLines } from '../../../../src/app/init/ignore-lines.js';

const diff = (path: string, before: string | undefined, after: string) =>
  diffOf({ path, before, after, reason: '' });

test('a line is missing only if it is there in no spelling, and is added once', (t) => {
  t.deepEqual(missingIgnoreLines(['.env', 'public/', 'dist/'], '/public\r\n.env \n'), ['dist/']);
  t.deepEqual(missingIgnoreLines(['dist/', '/dist'], ''), ['dist/']);
  t.deepEqual(missingIgnoreLines(['.env'], '# .env\n'), ['.env']);
  for (const line of ['_site', '_site/', '/_site', '/_site/', '_site/*', '_site/**', '  _site/\r'])
    t.deepEqual(missingIgnoreLines(['_site/'], `a\n${line}\nb\n`), [], line);
  t.deepEqual(missingIgnoreLines(['_site/', '/resources/_gen/'], '/_site_old/\nresources/\n'), ['_site/']);
});

test('lines of a .gitignore in a folder above count, but not those that name a place there', (t) => {
  t.deepEqual(missingIgnoreLines(['.env', 'dist/', '_site/'], '', ['.env\n/dist\nweb/_site/\n']), [
    'dist/',
    '_site/',
  ]);
});

test('lines are added with the line ends of the text, after a last line without one', (t) => {
  t.is(withLines('', ['a', 'b']), 'a\nb\n');
  t.is(withLines('x', ['a']), 'x\na\n');
  t.is(withLines('x\r\ny', ['a', 'b']), 'x\r\ny\r\na\r\nb\r\n');
  t.is(withLines('x', []), 'x');
});

test('a diff shows what is added, with three lines around it', (t) => {
  const before = 'a\nb\nc\nd\ne\nf\ng\n';
  t.is(
    diff('x.yml', before, before.replace('d\n', 'd\nnew\n')),
    '--- a/x.yml\n+++ b/x.yml\n@@ -2,6 +2,7 @@\n b\n c\n d\n+new\n e\n f\n g\n',
  );
  t.is(diff('.env', undefined, 'A=1\n'), '--- /dev/null\n+++ b/.env\n@@ -0,0 +1,1 @@\n+A=1\n');
  t.is(diff('x', 'a\n', 'a\n'), '');
});
