import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const SECRET = 'first-secret-first-secret-first';
const OTHER = 'other-secret-other-secret-other';
const CONFIG = { siteUrl: 'https://garden.example', git: false };
const SITE = { title: 'Garden', search: false };

test('a change of the config or of .env is logged without its values and does not hold before the next start, but a new secret at once', async (t) => {
  const dir = tempDir(t);
  const write = (config: object) =>
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
  write({ ...CONFIG, site: SITE });
  fs.writeFileSync(join(dir, '.env'), `PRESSMARK_SECRET=${SECRET}\n`);
  const env = { PRESSMARK_SITE_URL: undefined, PRESSMARK_SECRET: undefined };
  const receiver = await startReceiver(t, { dir, env });
  const said = ({ log }: typeof receiver) =>
    log.filter(
      ({ msg }) =>
        msg ===
        'the config or .env has changed, which takes effect at the next start; a new signing secret counts at once',
    );

  /** Changes a file until the log says so: files are watched from some moment after the start on. */
  const isNoticed = async (what: string, change: () => void) => {
    const before = said(receiver).length;
    let changed = 0;
    await until(`the log says that ${what} has changed`, () => {
      // Changes that follow each other quickly are one.
      if (performance.now() - changed > 1_000) {
        change();
        changed = performance.now();
      }
      return said(receiver).length > before;
    });
  };
  await isNoticed('the config', () => write({ ...CONFIG, siteUrl: 'https://meadow.example', site: SITE }));
  await isNoticed('.env', () => fs.writeFileSync(join(dir, '.env'), `PRESSMARK_SECRET=${OTHER}\n`));
  t.false(JSON.stringify(receiver.log).includes('secret-'));
  const hive = article({ slug: 'hive' });
  const { status, json } = await receiver.post('article.published', hive, { secret: OTHER });
  t.deepEqual([status, json.url], [200, 'https://garden.example/articles/hive/']);
  t.is((await receiver.post('article.published', article(), { secret: SECRET })).status, 401);
});

test('links that lead to a folder around them, or in a circle, keep nothing from being received, built and watched', async (t) => {
  const dir = tempDir(t);
  // Two of them in a folder: entered, each would double the number of names.
  for (const folder of ['static', 'static/sub', 'templates/assets', 'content/pages', 'content/articles']) {
    fs.mkdirSync(join(dir, folder), { recursive: true });
    fs.symlinkSync('.', join(dir, folder, 'here'));
    fs.symlinkSync('..', join(dir, folder, 'up'));
    fs.symlinkSync('circle.md', join(dir, folder, 'circle.md'));
  }
  fs.writeFileSync(join(dir, 'content/pages/about.md'), '---\ntitle: About\n---\nMe');
  const receiver = await startHere(t, {
    dir,
    config: { git: false, site: { search: false }, logLevel: 'error' },
  });
  const has = (file: string, text: string) => {
    const path = join(dir, 'public', file);
    return fs.existsSync(path) && fs.readFileSync(path, 'utf8').includes(text);
  };
  t.is((await receiver.post('article.published', article({ id: 'one', slug: 'one' }))).status, 200);
  await until('the page is built', () => has('articles/one/index.html', 'one'));
  await until('a page of the owner’s, too', () => has('about/index.html', 'Me'));
  fs.writeFileSync(join(dir, 'static/mine.txt'), 'First');
  await until('a new file of static/ is there', () => has('mine.txt', 'First'));
  fs.writeFileSync(join(dir, 'static/sub/mine.txt'), 'Second');
  await until('one in a folder of static/, too', () => has('sub/mine.txt', 'Second'));
  await receiver.close();
});
