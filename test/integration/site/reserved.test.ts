import { join } from 'node:path';
import test from 'ava';
import { isReservedFile, isReservedSlug } from '../../../src/article/address/reserved.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { put, testSite } from './test-site.js';

test('whatever a site builds at its top is reserved, and articles’ own files are not', async (t) => {
  const site = testSite(t, { settings: { search: true } });
  put(join(site.options.templatesDir, 'assets/leaf.svg'), '<svg/>');
  site.write('a', { tags: ['soil'], author: 'Olga' });
  const builder = createBuilder({ ...site.options, hosting: ['netlify', 'github-pages'] });
  await builder.build('all');
  await builder.close();
  const files = Object.keys(site.output());
  t.true(files.includes('articles/a/index.html') && files.includes('assets/leaf.svg'));
  for (const file of files) {
    if (file.startsWith('.')) continue; // neither a slug nor an address begins with a dot
    t.is(isReservedFile(file), !file.startsWith('articles/'), file);
    const [name = ''] = file.toLowerCase().split(/[/.]/);
    if (!name.startsWith('_')) t.true(isReservedSlug(name), name);
  }
});
