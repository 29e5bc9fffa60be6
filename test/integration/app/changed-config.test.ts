import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { article } from '../../support/events.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const SECRET = 'first-secret-first-secret-first';
const OTHER = 'other-secret-other-secret-other';
const FIXED = { siteUrl: 'https://garden.example', git: false };

/** A receiver whose settings are all in its folder, for all tests of this file. */
function sharedWith(config: object): () => Receiver {
  const dir = makeTempDir();
  let receiver: Receiver | undefined;
  test.serial.before(async () => {
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ ...FIXED, ...config }));
    fs.writeFileSync(join(dir, '.env'), `PRESSMARK_SECRET=${SECRET}\n`);
    receiver = await launch(dir, { env: { PRESSMARK_SITE_URL: undefined, PRESSMARK_SECRET: undefined } });
  });
  test.after.always(async () => {
    await receiver?.kill('SIGKILL');
    removeTempDir(dir);
  });
  return () => {
    if (receiver === undefined) throw new Error('the receiver has not started');
    return receiver;
  };
}

const building = sharedWith({});
const storing = sharedWith({ site: false });

const home = ({ dir }: Receiver) => {
  const path = join(dir, 'public/index.html');
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
};
const untilTitled = (receiver: Receiver, title: string) =>
  until(`the home page has the title ${title}`, () => home(receiver).includes(title));
const warnings = ({ log }: Receiver) =>
  log.filter(({ settings }) => settings !== undefined).map(({ settings }) => settings);
const complaints = ({ log }: Receiver) =>
  log.filter(({ msg }) => msg.includes('the config is wrong')).map(({ reason }) => String(reason));
const configOf = ({ dir }: Receiver) => join(dir, 'pressmark.config.json');
const titled = (title: string) => JSON.stringify({ ...FIXED, site: { title } });

test.serial('what a changed config says of the site is taken over while the receiver runs', async (t) => {
  const receiver = building();
  await untilTitled(receiver, 'A Pressmark site');
  fs.writeFileSync(configOf(receiver), titled('The first title'));
  await untilTitled(receiver, 'The first title');
  // As editors save: a new file in place of the old.
  fs.writeFileSync(`${configOf(receiver)}.new`, titled('The second title'));
  fs.renameSync(`${configOf(receiver)}.new`, configOf(receiver));
  await untilTitled(receiver, 'The second title');
  t.deepEqual([warnings(receiver), complaints(receiver)], [[], []]);
});

test.serial('a config that is removed leaves the defaults, and one that comes later is read', async (t) => {
  const receiver = building();
  const module = join(receiver.dir, 'pressmark.config.mjs');
  const text = (title: string) => `export default ${titled(title)};`;
  fs.writeFileSync(module, text('The module'));
  fs.rmSync(configOf(receiver));
  await untilTitled(receiver, 'The module');
  fs.writeFileSync(module, text('The changed module'));
  await untilTitled(receiver, 'The changed module');
  fs.rmSync(module);
  await untilTitled(receiver, 'A Pressmark site');
  fs.writeFileSync(configOf(receiver), titled('The first title'));
  await untilTitled(receiver, 'The first title');
  t.deepEqual(complaints(receiver), []);
});

test.serial('wrong settings change nothing, and the log says once what is wrong', async (t) => {
  const receiver = building();
  fs.writeFileSync(configOf(receiver), titled('The first title'));
  await untilTitled(receiver, 'The first title');
  fs.writeFileSync(configOf(receiver), `${titled('The second title')} and more`);
  await until('the log says that the config is wrong', () => complaints(receiver).length === 1);
  t.regex(complaints(receiver)[0] ?? '', /pressmark\.config\.json cannot be read/);
  fs.writeFileSync(configOf(receiver), JSON.stringify({ site: { titel: 'The third title' } }));
  await until('the log says what is wrong now', () => complaints(receiver).length === 2);
  t.regex(complaints(receiver)[1] ?? '', /"site\.titel"; did you mean title\?/);
  t.is((await receiver.post('article.published', article(), { secret: SECRET })).status, 200);
  t.true(home(receiver).includes('The first title'));

  fs.writeFileSync(configOf(receiver), titled('The fourth title'));
  await untilTitled(receiver, 'The fourth title');
  t.is(complaints(receiver).length, 2);
});

for (const [receiverOf, site] of [
  [building, { title: 'The fourth title' }],
  [storing, false],
] as const) {
  test.serial(
    `settings that cannot change while the receiver runs are named in the log, without a secret; site: ${JSON.stringify(site)}`,
    async (t: ExecutionContext) => {
      const receiver = receiverOf();
      const before = warnings(receiver).length;
      const config = { ...FIXED, site };
      const changed = {
        ...config,
        siteUrl: 'https://meadow.example',
        endpoint: '/hook',
        logLevel: 'debug',
      };
      fs.writeFileSync(configOf(receiver), JSON.stringify(changed));
      await until('the log names the settings', () => warnings(receiver).length > before);
      t.deepEqual(warnings(receiver)[before], ['endpoint', 'logLevel', 'siteUrl']);

      fs.writeFileSync(configOf(receiver), JSON.stringify(config));
      fs.writeFileSync(join(receiver.dir, '.env'), `PRESSMARK_SECRET=${OTHER}\n`);
      await until('the log names the secret', () =>
        warnings(receiver).some((names) => JSON.stringify(names) === '["PRESSMARK_SECRET"]'),
      );
      t.false(JSON.stringify(receiver.log).includes('secret-'));
      t.is((await receiver.post('article.published', article(), { secret: OTHER })).status, 401);
      const data = article({ slug: 'hive' });
      const { status, json } = await receiver.post('article.published', data, { secret: SECRET });
      t.deepEqual([status, json.url], [200, 'https://garden.example/articles/hive/']);
      t.is(await receiver.stop(), 0);
    },
  );
}
