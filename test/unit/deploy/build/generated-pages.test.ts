import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  generatedDigestIn,
  openGeneratedPages,
  withGeneratedDigest,
} from '../../../../src/deploy/build/generated-pages.js';
import { tempDir } from '../../../support/temp-dir.js';

const PAGE = '<p>As the generator made it.</p>';
const digest = generatedDigestIn(withGeneratedDigest(PAGE, [], PAGE)) ?? '';

test('generated pages: what a power loss has cut short counts as missing, and is kept again', (t) => {
  const folder = tempDir(t);
  const path = join(folder, `${digest}.gz`);
  openGeneratedPages(folder).keep(PAGE);
  const whole = fs.readFileSync(path);
  for (const damaged of [Buffer.alloc(0), whole.subarray(0, -9), Buffer.alloc(whole.length)]) {
    fs.writeFileSync(path, damaged);
    t.is(openGeneratedPages(folder).get(digest), undefined);
    fs.writeFileSync(path, damaged);
    openGeneratedPages(folder).keep(PAGE);
    t.is(openGeneratedPages(folder).get(digest), PAGE);
  }
});

test('generated pages: a sweep takes the old ones, and does not mind a file that another process has moved', (t) => {
  const folder = tempDir(t);
  const kept = openGeneratedPages(folder);
  kept.keep(PAGE);
  fs.symlinkSync('moved', join(folder, 'a.gz')); // to ask for it fails as for a file that is gone
  fs.writeFileSync(join(folder, 'old.gz'), '');
  fs.utimesSync(join(folder, 'old.gz'), 0, 0);
  kept.sweep();
  t.deepEqual(fs.readdirSync(folder).sort(), [`${digest}.gz`, 'a.gz'].sort());
});
