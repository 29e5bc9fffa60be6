import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { applyChanges, withLines } from '../../../../src/app/init/changes.js';
import { missingIgnoreLines } from '../../../../src/app/init/ignore-lines.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a line is missing only if it is there in no spelling, and is added once', (t) => {
  t.deepEqual(missingIgnoreLines(['.env', 'public/', 'dist/'], '/public\r\n.env \n'), ['dist/']);
  t.deepEqual(missingIgnoreLines(['dist/', '/dist'], ''), ['dist/']);
  t.deepEqual(missingIgnoreLines(['.env'], '# .env\n'), ['.env']);
  for (const line of ['_site', '_site/', '/_site', '/_site/', '_site/*', '_site/**', '  _site/\r'])
    t.deepEqual(missingIgnoreLines(['_site/'], `a\n${line}\nb\n`), [], line);
  t.deepEqual(missingIgnoreLines(['_site/', '/resources/_gen/'], '/_site_old/\nresources/\n'), ['_site/']);
});

test('lines are added with the line ends of the text, after a last line without one', (t) => {
  t.is(withLines('', ['a', 'b']), 'a\nb\n');
  t.is(withLines('x', ['a']), 'x\na\n');
  t.is(withLines('x\r\ny', ['a', 'b']), 'x\r\ny\r\na\r\nb\r\n');
  t.is(withLines('x', []), 'x');
});

const REASON = 'a test';

test('changes are written: new files, and existing ones with the permissions that they have', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'script'), 'a', { mode: 0o755 });
  fs.mkdirSync(join(dir, 'real'));
  fs.writeFileSync(join(dir, 'real/config'), 'a');
  fs.symlinkSync('real/config', join(dir, 'config'));
  await applyChanges(dir, [
    { path: 'script', before: 'a', after: 'b', reason: REASON },
    { path: 'config', before: 'a', after: 'b', reason: REASON },
    { path: 'new/.env', before: undefined, after: 'x', reason: REASON, mode: 0o600 },
  ]);
  t.is(fs.statSync(join(dir, 'script')).mode & 0o777, 0o755);
  t.is(fs.statSync(join(dir, 'new/.env')).mode & 0o777, 0o600);
  t.is(fs.readFileSync(join(dir, 'real/config'), 'utf8'), 'b');
  t.true(fs.lstatSync(join(dir, 'config')).isSymbolicLink());
  t.deepEqual(fs.readdirSync(dir).sort(), ['config', 'new', 'real', 'script']);
});

test('nothing is written if one of the files has changed meanwhile or has appeared', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'there'), 'mine');
  const first = { path: 'new', before: undefined, after: 'x', reason: REASON };
  for (const before of [undefined, 'old'])
    await t.throwsAsync(applyChanges(dir, [first, { path: 'there', before, after: 'y', reason: REASON }]), {
      message: /^there has .*it was left alone; run pressmark init again$/,
    });
  t.deepEqual(fs.readdirSync(dir), ['there']);
  t.is(fs.readFileSync(join(dir, 'there'), 'utf8'), 'mine');
});

test('a file that is not UTF-8 is not replaced', async (t) => {
  const dir = tempDir(t);
  const bytes = Buffer.from([0x61, 0xe4, 0x0a]);
  fs.writeFileSync(join(dir, '_config.yml'), bytes);
  const before = bytes.toString('utf8');
  const change = { path: '_config.yml', before, after: `${before}b`, reason: REASON };
  await t.throwsAsync(applyChanges(dir, [change]), { message: /or is not UTF-8/ });
  t.deepEqual(fs.readFileSync(join(dir, '_config.yml')), bytes);
});
