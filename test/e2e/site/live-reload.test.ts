import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { openBrowser, untilTrue } from '../browser.js';

test('a page in a browser follows templates and deliveries by itself; its file knows nothing of it', async (t) => {
  const dir = tempDir(t);
  const receiver = await startReceiver(t, { dir, args: ['--live'] });
  await receiver.post('article.published', article({ slug: 'hive', title: 'On the hive' }));
  const file = join(dir, 'public/articles/hive/index.html');
  await until('the page is built', () => fs.existsSync(file));
  const page = await (await openBrowser(t)).newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${receiver.origin}/articles/hive/`);
  const heading = () => page.getByRole('heading', { level: 1 });
  t.is(await heading().textContent(), 'On the hive');

  fs.mkdirSync(join(dir, 'templates'));
  fs.writeFileSync(
    join(dir, 'templates/article.eta'),
    '<% layout("./layout") %><h1>Mine: <%= it.title %></h1>',
  );
  await heading().getByText('Mine: On the hive').waitFor();

  fs.writeFileSync(join(dir, 'templates/custom.css'), 'h1 { color: rgb(1, 2, 3) }');
  await untilTrue(page, "getComputedStyle(document.querySelector('main h1')).color === 'rgb(1, 2, 3)'");

  await page.goto(`${receiver.origin}/`);
  await receiver.post('article.published', article({ id: 'b', slug: 'bee', title: 'On the bee' }));
  await page.getByRole('link', { name: 'On the bee' }).waitFor();

  t.false(fs.readFileSync(file, 'utf8').includes('.pressmark'));
  t.false(fs.readFileSync(join(dir, 'public/index.html'), 'utf8').includes('.pressmark'));
  t.deepEqual(complaints, []);
});
