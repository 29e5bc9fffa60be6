import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { unifiedDiff } from '../../../../src/app/init/unified-diff.js';
import { gitIn } from '../../../support/clones.js';
import { fc, runs } from '../../../support/property.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a diff shows what is added, with three lines around it', (t) => {
  const before = 'a\nb\nc\nd\ne\nf\ng\n';
  t.is(
    unifiedDiff('x.yml', before, before.replace('d\n', 'd\nnew\n')),
    '--- a/x.yml\n+++ b/x.yml\n@@ -2,6 +2,7 @@\n b\n c\n d\n+new\n e\n f\n g\n',
  );
  t.is(unifiedDiff('.env', undefined, 'A=1\n'), '--- /dev/null\n+++ b/.env\n@@ -0,0 +1 @@\n+A=1\n');
  t.is(unifiedDiff('x', 'a\n', 'a\n'), '');
});

test('git applies every diff', (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet');
  const path = join(dir, 'file');
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '\r'), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, fc.boolean(), fc.boolean(), (one, other, oneEnds, otherEnds) => {
      const before = one.map((line) => `${line}\n`).join('') + (oneEnds ? '' : 'end');
      const after = other.map((line) => `${line}\n`).join('') + (otherEnds ? '' : 'end');
      if (before === after || before === '' || after === '') return;
      fs.writeFileSync(path, before);
      execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
        cwd: dir,
        input: unifiedDiff('file', before, after),
      });
      t.is(fs.readFileSync(path, 'utf8'), after);
    }),
    { numRuns: runs(30) },
  );
});
