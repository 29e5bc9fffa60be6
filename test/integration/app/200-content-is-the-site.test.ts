import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { SiteFacts } from '../../../src/deploy/facts.js';
import { gitIn } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { healthDetails } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { TOY_CONFIG, writeToySite } from '../deploy/toy-generator.js';

test('where the content folder is the site’s, paths have no ./ in front, and the article is built and committed', async (t) => {
  const dir = tempDir(t);
  writeToySite(dir, {
    'pressmark.config.mjs': TOY_CONFIG.replace('generator,', "generator,\n  content: '.',"),
  });
  const toy = join(dir, 'toy.mjs');
  fs.writeFileSync(toy, fs.readFileSync(toy, 'utf8').replaceAll("'content'", "'.'"));
  gitIn(dir, 'init', '-q', '-b', 'main');
  gitIn(dir, 'commit', '-q', '--allow-empty', '-m', 'First');
  const receiver = await startHere(t, { dir, env: { PRESSMARK_SITE_URL: '' } });
  t.is((await receiver.post('article.published', article({ id: 'a', slug: 'new' }))).status, 200);
  await until('the article is built', async () => {
    const { facts } = (await healthDetails(receiver.origin)) as { facts: SiteFacts };
    return facts.delivery?.id === 'a' && fs.existsSync(join(dir, 'public/blog/new/index.html'));
  });
  await until('it is committed', () => gitIn(dir, 'ls-files').includes('new.md'));
});
