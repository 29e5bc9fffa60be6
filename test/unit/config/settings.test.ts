import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfigFile } from '../../../src/config/config-file.js';
import { type Flags, loadSettings } from '../../../src/config/load.js';
import { schema } from '../../../src/config/schema.js';
import { readKeptOptions, SETTINGS_FILE, withKeptOptions } from '../../../src/config/settings-file.js';
import type { GeneratorOptions } from '../../../src/generators/generator.js';
import { bareEnvironment } from '../../support/receiver.js';
import { folderWith, tempDir } from '../../support/temp-dir.js';

const CONFIG = 'pressmark.config.json';

/** What a config makes of the settings. */
const settingsOf = (t: ExecutionContext, config: object) =>
  loadSettings(folderWith(t, { [CONFIG]: JSON.stringify(config) }), {}, {});

const refuses = (t: ExecutionContext, dir: string, message: RegExp, env: NodeJS.Dict<string> = {}) =>
  t.throwsAsync(loadSettings(dir, {}, env), { code: 'CONFIG_INVALID', message });

const refusesConfig = (t: ExecutionContext, config: object, message: RegExp) =>
  t.throwsAsync(
    settingsOf(t, config),
    { code: 'CONFIG_INVALID', message },
    `${JSON.stringify(config)} must be refused with ${message}`,
  );

test('flags have precedence over the environment, the environment over .env, and .env over the config', async (t) => {
  const flags: Flags = { port: 4 };
  const environment = { PORT: '3', PRESSMARK_SITE_URL: 'https://environment.example' };
  const env = 'PORT=2\nPRESSMARK_SITE_URL=https://env-file.example/\nPRESSMARK_ENDPOINT=/from-env-file\n';
  const config = { port: 1, siteUrl: 'https://config.example', endpoint: '/from-config' };
  const dir = folderWith(t, { '.env': env, [CONFIG]: JSON.stringify(config) });
  t.like(await loadSettings(dir, flags, environment), {
    port: 4,
    siteUrl: 'https://environment.example',
    siteUrlIsGuess: false,
    endpoint: '/from-env-file',
  });
  t.like(await loadSettings(dir, {}, environment), { port: 3 });
  t.like(await loadSettings(dir, {}, {}), { port: 2, siteUrl: 'https://env-file.example' });
  fs.rmSync(join(dir, '.env'));
  t.like(await loadSettings(dir, {}, {}), config);
  fs.rmSync(join(dir, CONFIG));
  t.like(await loadSettings(dir, {}, {}), {
    port: 8787,
    siteUrl: 'http://localhost:8787',
    siteUrlIsGuess: true,
    endpoint: '/webhook',
    articles: { file: 'articles/:year/:month/:slug.md', permalink: '/articles/:slug/' },
  });
});

test('a variable that is set to nothing is not set, and several secrets are separated by commas', async (t) => {
  const dir = folderWith(t, { '.env': 'PRESSMARK_SECRET=new, old\n' });
  const secretsWith = async (secret: string) =>
    (await loadSettings(dir, {}, { PRESSMARK_SECRET: secret })).secrets;
  t.deepEqual(await secretsWith(''), ['new', 'old']);
  t.deepEqual(await secretsWith('other'), ['other']);
});

test('a byte order mark, with which some editors begin a file, changes no setting', async (t) => {
  const env = '\ufeffPRESSMARK_SECRET=from-the-service\r\n';
  const dir = folderWith(t, { '.env': env, [CONFIG]: '\ufeff{ "port": 1 }' });
  t.like(await loadSettings(dir, {}, {}), { port: 1, secrets: ['from-the-service'] });
});

test('the address to listen on is PRESSMARK_HOST; HOST, which some shells set, has no effect', async (t) => {
  const dir = folderWith(t, { [CONFIG]: '{ "host": "127.0.0.1" }' });
  t.is((await loadSettings(dir, {}, { HOST: 'machine' })).host, '127.0.0.1');
  t.is((await loadSettings(dir, {}, { PRESSMARK_HOST: '::1' })).host, '::1');
});

/** Config files that cannot be read, and why. */
const UNREADABLE: readonly (readonly [name: string, text: string, why: RegExp])[] = [
  ['pressmark.config.mjs', 'export default {\n  port: 1;\n};\n', /cannot be read: .* \(line 2\)$/],
  ['pressmark.config.js', 'module.exports = {\n\n  port: 1;\n};\n', /cannot be read: .* \(line 3\)$/],
  ['pressmark.config.mjs', 'const a = {};\nexport default a.b.c;\n', /cannot be read: .* \(line 2\)$/],
  ['pressmark.config.json', '{\n  "port": 1\n  "site": {}\n}\n', /cannot be read: .* \(line 3\)$/],
  ['pressmark.config.json', '{\n  "port": 1,', /cannot be read: .* \(line 2\)$/],
  ['pressmark.config.mjs', 'export const config = {};', /must export its settings/],
];

test('a config that cannot be read, throws or exports nothing is refused by its name, with the line', async (t) => {
  for (const [name, text, why] of UNREADABLE)
    await refuses(
      t,
      folderWith(t, { 'package.json': '{"type":"commonjs"}', [name]: text }),
      new RegExp(`${name} ${why.source}`),
    );
  const dir = tempDir(t);
  for (const other of ['nowhere', 'package.json', 'package.json/site'])
    await refuses(t, join(dir, other), /is not a folder/);
  fs.mkdirSync(join(dir, CONFIG));
  await refuses(t, dir, /pressmark\.config\.json cannot be read: /);
});

test('a config whose module never ends loading is named', async (t) => {
  const name = 'pressmark.config.mjs';
  const path = join(folderWith(t, { [name]: 'await new Promise(() => {});\nexport default {};\n' }), name);
  await t.throwsAsync(readConfigFile(path, 20), {
    code: 'CONFIG_INVALID',
    message: /pressmark\.config\.mjs cannot be read: it was not loaded within 0\.02 s; /,
  });
});

test('all faults of the settings are named at once, each in a line', async (t) => {
  const config = { sitUrl: 'https://x.example', site: { pageSize: 0 }, git: { nope: 1 }, logLevel: 'loud' };
  const dir = folderWith(t, { [CONFIG]: JSON.stringify(config) });
  const variables = { PORT: 'eighty', PRESSMARK_SECRET: ',' };
  const { message = '' } = (await t.throwsAsync(loadSettings(dir, {}, variables))) ?? {};
  const lines = message.split('\n').map((line) => line.replace(`${dir}/`, ''));
  t.deepEqual(lines.toSorted(), [
    'PRESSMARK_SECRET is ",", which holds no secret; set it to the one that the service issued, or remove it',
    'environment or .env: port must be a number, got "eighty"',
    'pressmark.config.json: logLevel must be "fatal" or "error" or "warn" or "info" or "debug" or "trace" or "silent", got "loud"',
    'pressmark.config.json: site.pageSize must be at least 1, got 0',
    'pressmark.config.json: there is no setting "git.nope"',
    'pressmark.config.json: there is no setting "sitUrl"; did you mean siteUrl?',
  ]);
});

/** Configs that are refused, and the words: the rule and the value. */
const REFUSED: readonly (readonly [config: object, words: RegExp])[] = [
  [{ secret: 'abc' }, /no setting "secret"; the signing secret belongs in \.env, as PRESSMARK_SECRET$/],
  [{ replay: { maxAge: '8h' } }, /replay\.maxAge must be 9h or more: the service itself sends .* again for/],
  [{ replay: { maxAge: 'a week' } }, /replay\.maxAge must be a number of hours or days, such as 12h or 30d/],
  [{ deploy: { hook: 'https://x.example/hooks/token' } }, /deploy.* got .*https:\/\/x\.example\/…/],
  [{ git: 'yes' }, /git must be true, false, or \{ author, .* \}, got "yes"$/],
  [{ git: { author: { name: 'a' } } }, /git\.author\.email must be a text, and is missing$/],
  [{ generator: { name: 'hugo', futurePage: true } }, /"generator\.futurePage"; did you mean futurePages\?$/],
  [{ generator: 'eleventi' }, /generator must be plain, .*, got "eleventi"; did you mean eleventy\?$/],
  [{ generator: { name: 'jekyl' } }, /generator\.name must be plain, .* did you mean jekyll\?$/],
  [{ articles: { content: 'posts' } }, /no setting "articles\.content"; did you mean content\?$/],
  [{ name: 'x' }, /no setting "name"; did you mean service\.name or generator\.name\?$/],
  [{ site: { navigation: [{ label: 'x', href: 'javascript:a' }] } }, /navigation\.0\.href must be a path/],
  [{ deploy: { folder: 'www' } }, /deploy\.folder must be an absolute path, such as .*, got "www"$/],
  [{ deploy: [{ branch: 'x', keep: 'CNAME' }] }, /deploy\.0\.keep must be a list, got "CNAME"$/],
  [{ deploy: { folder: '/x', branch: 'y' } }, /deploy must be \{ branch: .*, got \{"folder":"\/x","branch"/],
  [{ site: { accent: '#12345' } }, /site\.accent must be a colour such as #0a7d5c/],
  [{ site: { timeZone: 'Vienna' } }, /site\.timeZone must be a time zone such as Europe\/Vienna/],
  [{ site: { logo: '//other.example/logo.png' } }, /site\.logo must be a path on the site/],
  [{ site: { logo: { src: '/logo.svg' } } }, /site\.logo\.width /],
];

test('a setting that cannot be is refused with the rule and the value', async (t) => {
  for (const [config, words] of REFUSED) await refusesConfig(t, config, words);
});

test('a password in a URL that is refused is not shown, whatever it holds', async (t) => {
  for (const word of ['token', 'p@ss', 'p/ss', 'p?ss', 'p#ss', 'p"ss'])
    await refusesConfig(
      t,
      { siteUrl: `https://me:${word}@x.example/a` },
      /siteUrl must be .*, got "https:\/\/(?:x\.example\/)?…"$/,
    );
});

test('an address that is not as browsers show it is refused for a site, wherever it is set', async (t) => {
  const words = /siteUrl must be an absolute http\(s\) URL/;
  await refuses(t, tempDir(t), words, { PRESSMARK_SITE_URL: 'garden.example' });
  for (const siteUrl of [
    'https://u:p@garden.example',
    'https://garden.example ',
    'https://garden.example.',
    'https://garden.example/%zz',
    'https://garden.example/a/../b',
  ])
    await refusesConfig(t, { siteUrl }, words);
});

test('a site’s address is in the form of URL parsers, as a service may compare URLs as they are written', async (t) => {
  const forms = {
    'HTTPS://Garden.Example:443/': 'https://garden.example',
    'https://bücher.example/küche/': 'https://xn--bcher-kva.example/k%C3%BCche',
    'http://[::1]:8080': 'http://[::1]:8080',
  };
  for (const [given, siteUrl] of Object.entries(forms))
    t.is((await settingsOf(t, { siteUrl: given })).siteUrl, siteUrl);
});

test('a place for articles at which they would not be found is refused', async (t) => {
  for (const file of [':slugs.md', '.drafts/:slug.md', '../:slug.md'])
    await refusesConfig(t, { articles: { file } }, /articles\.file must/);
  for (const permalink of ['/.x/:slug/', '//x/:slug/', '/%zz/:slug/'])
    await refusesConfig(t, { articles: { permalink } }, /articles\.permalink must/);
});

test('an endpoint that no delivery would reach, or that is the receiver’s own, is refused', async (t) => {
  for (const endpoint of ['webhook', '/', '/webhook/', '/wöb', '/a/../b', '/healthz', '/-/x/in'])
    await refusesConfig(t, { endpoint }, /endpoint must be a path such as \/webhook.* nor below \/-\/, got/);
  t.is((await settingsOf(t, { endpoint: '/-hook' })).endpoint, '/-hook');
});

test('a name that git takes for no branch is refused', async (t) => {
  const words = /git\.push\.branch must be a branch’s name, such as main/;
  for (const branch of ['a..b', 'x.lock/y', 'a//b', '.a', 'a.', '@', 'a b', '-a'])
    await refusesConfig(t, { git: { push: { branch } } }, words);
  for (const branch of ['pressmark/articles', 'käfer', 'v1.0', 'a@b', 'lock'])
    t.true(schema.safeParse({ deploy: { branch } }).success, branch);
});

test('every option of a generator can be set', (t) => {
  // Typed, so that an option that is added to the interface has to be added here.
  const options: Required<GeneratorOptions> = {
    keys: { title: 'title', description: null, date: 'pubDate', updated: null, tags: 'topics', image: null },
    dates: 'string',
    timeZone: 'Europe/Vienna',
    rawHtml: true,
    templateSwitch: false,
    futurePages: true,
    htmlFiles: true,
    excerptSeparator: '---',
    markedElements: ['script'],
    usedIds: ['main'],
    keptTags: ['posts'],
    fetchesImages: true,
    authors: { 'Marta Oak': 'marta' },
    knownAuthorsOnly: true,
    categories: ['Vegetables'],
    titleInBody: true,
    staticFolder: 'assets',
    routeBase: '/news',
    tagSlugs: false,
    slugKey: true,
    limits: { title: 60, description: 160, descriptionFrom: 50, tags: 5 },
  };
  const generator = { name: 'eleventy', ...options } as const;
  t.deepEqual(schema.parse({ generator }).generator, generator);
});

test('build is a command, a command with its settings, or the time between the calls of a host’s hook alone', async (t) => {
  const usual = { build: 'make', buildsInBackground: true, buildTimeoutMs: 600_000, buildEveryMs: 0 };
  const hook = { build: undefined, buildsInBackground: false, buildEveryMs: 300_000 };
  for (const [build, settings] of [
    ['make', usual],
    [
      { command: 'make', every: 300 },
      { ...usual, buildEveryMs: 300_000 },
    ],
    [{ every: 300 }, hook],
  ] as const)
    t.like(await settingsOf(t, { build }), settings);
});

test('the admin is public at an https URL of its own host, and believes proxies that are addresses or networks', async (t) => {
  const siteUrl = 'https://example.com';
  for (const [refused, words] of [
    [{ public: 'http://admin.example.com' }, /admin\.public must be false or an https URL without a path/],
    [{ public: 'https://admin.example.com/x' }, /admin\.public must be false or an https URL without a path/],
    [{ public: 'https://EXAMPLE.com' }, /has the host name of siteUrl/],
    [{ trustedProxies: ['172.18.0.0/33'] }, /trustedProxies\.0 must be an address or a network/],
    [{ trustedProxies: ['proxy'] }, /trustedProxies\.0 must be an address or a network/],
  ] as const)
    await refusesConfig(t, { siteUrl, admin: refused }, words);
  const admin = { public: 'https://admin.example.com', trustedProxies: ['172.18.0.0/16', '::1'] };
  t.deepEqual((await settingsOf(t, { siteUrl, admin })).admin, admin);
});

test('what is said of the site is taken as it is', async (t) => {
  const hrefs = ['/about/?from=header#top', 'mailto:me@x.example', 'https://other.example/'];
  const said = {
    ...{ title: 'Études', language: 'ar-EG', locale: 'ar', timeZone: 'Africa/Cairo' },
    navigation: hrefs.map((href) => ({ label: 'A label', href })),
    logo: { src: '/assets/logo.svg', width: 120, height: 36 },
  };
  const { site } = await settingsOf(t, { site: { ...said, accent: '#0A7D5C' } });
  t.like(site, { ...said, accent: { light: '#0A7D5C', dark: '#0A7D5C' }, pageSize: 20 });
});

test('settings in force: each says its value and where it comes from, and no secret is among them', async (t) => {
  const config = {
    siteUrl: 'https://wrong.example',
    site: { title: 'A <garden>' },
    git: { push: { remote: 'https://me:token-of-mine@git.example/site.git' } },
    build: { every: 5 },
  };
  const dir = folderWith(t, {
    [CONFIG]: JSON.stringify(config),
    '.env': 'PRESSMARK_SECRET=secret-a\nPRESSMARK_SITE_URL=https://garden.example\n',
  });
  const { inForce } = await loadSettings(dir, { port: 99 }, bareEnvironment());
  const of = (name: string) => {
    const { value, from } = inForce.find((one) => one.name === name) ?? {};
    return [value, from];
  };
  t.deepEqual(of('siteUrl'), ['"https://garden.example"', 'environment']);
  t.deepEqual(of('port'), ['99', 'command line']);
  t.deepEqual(of('site.title'), ['"A <garden>"', 'config']);
  t.deepEqual(of('site.pageSize'), ['20', 'default']);
  t.deepEqual(of('build.every'), ['5', 'config']);
  t.deepEqual(of('content'), ['"content"', 'default']);
  t.notRegex(JSON.stringify(inForce), /secret-a|token-of-mine/);
});

test('settings in force: those of the built site are none where another generator builds it', async (t) => {
  const config = { generator: 'hugo', siteUrl: 'https://a.example', site: { title: 'A garden' } };
  const { inForce, site } = await settingsOf(t, config);
  t.deepEqual([site, inForce.filter(({ name }) => name.startsWith('site.'))], [false, []]);
});

test('settings file: what is wrong with it is an error that names file and key', (t) => {
  const dir = tempDir(t);
  const cases: [string, RegExp][] = [
    ['{ "plugins": ', /pressmark\.settings\.json cannot be read: .*\(line 1\)/],
    ['[]', /must be an object/],
    ['{ "plugin": {} }', /has the key "plugin"; .*did you mean plugins\?/],
    ['{ "plugins": { "desk": 7 } }', /plugins\.desk must be an object/],
  ];
  for (const [text, message] of cases) {
    fs.writeFileSync(join(dir, SETTINGS_FILE), text);
    t.throws(() => readKeptOptions(dir), { code: 'CONFIG_INVALID', message });
  }
  fs.rmSync(join(dir, SETTINGS_FILE));
  t.deepEqual(readKeptOptions(dir), {}, 'without one there are no settings');
});

test('settings file: an option is set by the config or by the file, never by both', (t) => {
  const joined = (options: unknown, kept: Record<string, unknown> | undefined) =>
    withKeptOptions('plugin desk', options, kept);
  t.deepEqual(joined({ a: 1 }, { b: 2 }), { a: 1, b: 2 });
  t.deepEqual(joined(undefined, { b: 2 }), { b: 2 });
  t.deepEqual(joined({ a: 1 }, undefined), { a: 1 });
  t.throws(() => joined({ a: 1, b: 1 }, { a: 1 }), {
    code: 'CONFIG_INVALID',
    message: 'plugin desk: "a" is set in the config and in pressmark.settings.json; remove one of them',
  });
  t.throws(() => joined('loud', { a: 1 }), { code: 'CONFIG_INVALID', message: /not an object/ });
  const hostile = JSON.parse('{"__proto__":{"a":1}}');
  t.is(Object.getPrototypeOf(joined({ b: 2 }, hostile)), Object.prototype);
});
