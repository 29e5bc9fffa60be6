import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { article } from '../../support/events.js';
import { type Receiver, type ReceiverOptions, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

async function startWith(
  t: ExecutionContext,
  files: Record<string, string>,
  options: ReceiverOptions = {},
): Promise<Receiver> {
  const dir = tempDir(t);
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(dir, name), text);
  return startReceiver(t, { dir, ...options });
}

const home = ({ dir }: Receiver) => {
  const path = join(dir, 'public/index.html');
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
};
const warnings = ({ log }: Receiver) =>
  log.filter(({ settings }) => settings !== undefined).map(({ settings }) => settings);

for (const [name, textOf] of [
  ['pressmark.config.mjs', (title) => `export default { site: { title: ${JSON.stringify(title)} } };`],
  ['pressmark.config.js', (title) => `module.exports = { site: { title: ${JSON.stringify(title)} } };`],
] as readonly (readonly [string, (title: string) => string])[]) {
  test(`what ${name} says of the site is taken over`, async (t) => {
    const files = { [name]: textOf('The first title'), 'package.json': '{"type":"commonjs"}' };
    const receiver = await startWith(t, files);
    await until(() => home(receiver).includes('The first title'));
    fs.writeFileSync(join(receiver.dir, name), textOf('The second title'));
    await until(() => home(receiver).includes('The second title'));
    t.deepEqual(warnings(receiver), []);
  });
}

test('wrong settings change nothing, and the log says once what is wrong', async (t) => {
  const textOf = (title: string) => JSON.stringify({ site: { title } });
  const receiver = await startWith(t, { 'pressmark.config.json': textOf('The first title') });
  const path = join(receiver.dir, 'pressmark.config.json');
  await until(() => home(receiver).includes('The first title'));

  const wrong = () => receiver.log.filter(({ msg }) => msg.includes('the config is wrong'));
  fs.writeFileSync(path, `${textOf('The second title')} and more`);
  await until(() => wrong().length === 1);
  fs.writeFileSync(path, JSON.stringify({ site: { titel: 'The third title' } }));
  await until(() => wrong().length === 2);
  t.regex(String(wrong()[1]?.reason), /"site\.titel"; did you mean title\?/);
  t.is((await receiver.post('article.published', article())).status, 200);
  t.true(home(receiver).includes('The first title'));

  // As editors save: a new file in place of the old.
  fs.writeFileSync(`${path}.new`, textOf('The fourth title'));
  fs.renameSync(`${path}.new`, path);
  await until(() => home(receiver).includes('The fourth title'));
  t.is(wrong().length, 2);
});

test('a config that comes later is read, one that goes leaves the defaults', async (t) => {
  const receiver = await startWith(t, {});
  await until(() => home(receiver).includes('A Pressmark site'));
  const path = join(receiver.dir, 'pressmark.config.mjs');
  fs.writeFileSync(path, 'export default { site: { title: "Came later" } };');
  await until(() => home(receiver).includes('Came later'));
  fs.rmSync(path);
  await until(() => home(receiver).includes('A Pressmark site'));
  t.pass();
});

for (const site of [{}, false]) {
  test(`what cannot change while it runs is named, and no secret with it; site: ${JSON.stringify(site)}`, async (t) => {
    const secret = 'first-secret-first-secret-first';
    const other = 'other-secret-other-secret-other';
    const config = { siteUrl: 'https://garden.example', site, git: false };
    const receiver = await startWith(
      t,
      { 'pressmark.config.json': JSON.stringify(config), '.env': `PRESSMARK_SECRET=${secret}\n` },
      { env: { PRESSMARK_SITE_URL: undefined, PRESSMARK_SECRET: undefined } },
    );
    const changed = { ...config, siteUrl: 'https://meadow.example', endpoint: '/hook', logLevel: 'debug' };
    fs.writeFileSync(join(receiver.dir, 'pressmark.config.json'), JSON.stringify(changed));
    await until(() => warnings(receiver).length > 0);
    t.deepEqual(warnings(receiver)[0], ['endpoint', 'logLevel', 'siteUrl']);

    fs.writeFileSync(join(receiver.dir, 'pressmark.config.json'), JSON.stringify(config));
    fs.writeFileSync(join(receiver.dir, '.env'), `PRESSMARK_SECRET=${other}\n`);
    await until(() => warnings(receiver).some((names) => JSON.stringify(names) === '["PRESSMARK_SECRET"]'));
    t.false(JSON.stringify(receiver.log).includes('secret-'));
    t.is((await receiver.post('article.published', article(), { secret: other })).status, 401);
    const { status, json } = await receiver.post('article.published', article({ slug: 'hive' }), { secret });
    t.deepEqual([status, json.url], [200, 'https://garden.example/articles/hive/']);
    t.is(await receiver.stop(), 0);
  });
}
