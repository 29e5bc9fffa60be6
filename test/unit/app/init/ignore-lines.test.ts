import test from 'ava';
import { withLines } from '../../../../src/app/init/change.js';
import { missingIgnoreLines } from '../../../../src/app/init/ignore-lines.js';

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
