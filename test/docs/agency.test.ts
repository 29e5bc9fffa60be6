import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../support/events.js';
import { startHere } from '../support/receiver-here.js';
import { tempDir, writeFiles } from '../support/temp-dir.js';
import { until } from '../support/until.js';

const page = fs.readFileSync(new URL('../../../docs/agency.md', import.meta.url), 'utf8');

test('a site of the agency has the shared theme and the shared plugin', async (t) => {
  const root = tempDir(t);
  for (const folder of ['shared/plugins', 'shared/theme/templates', 'garden'])
    fs.mkdirSync(join(root, 'srv', folder), { recursive: true });
  const files = [...page.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)];
  t.is(files.length, 3);
  for (const [, path = '', code = ''] of files)
    writeFiles(root, {
      [path]: code.replaceAll('/srv/', `${root}/srv/`).replace('site: { ', 'site: { search: false, '), // which takes a second
    });
  fs.writeFileSync(join(root, 'srv/shared/theme/templates/custom.css'), ':root { --column: 51rem; }');
  const site = join(root, 'srv/garden');
  const receiver = await startHere(t, { dir: site, env: { PRESSMARK_SITE_URL: undefined } });
  const { json } = await receiver.post('article.published', article({ slug: 'soil' }));
  t.is(json.url, 'https://garden.example/articles/soil/');
  const html = join(root, 'srv/www/garden/current/articles/soil/index.html');
  await until('the article is deployed', () => fs.existsSync(html));
  t.regex(fs.readFileSync(html, 'utf8'), /<link rel="author" href="https:\/\/agency\.example\/">/);
  const assets = join(root, 'srv/www/garden/current/assets');
  const [sheet = ''] = fs.readdirSync(assets).filter((name) => name.endsWith('.css'));
  t.regex(fs.readFileSync(join(assets, sheet), 'utf8'), /--column: 51rem/);
});
