import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ejectableFiles, ejectFile, themeOf } from '../../../../src/app/builder/theme.js';
import { loadSettings } from '../../../../src/config/load.js';
import { tempDir } from '../../../support/temp-dir.js';

/** The settings of a site in a folder with these files. */
async function siteWith(t: ExecutionContext, theme: unknown, files: Record<string, string>) {
  const dir = tempDir(t);
  const config = { siteUrl: 'https://garden.example', site: { theme } };
  for (const [name, text] of Object.entries({ 'pressmark.config.json': JSON.stringify(config), ...files })) {
    fs.mkdirSync(dirname(join(dir, name)), { recursive: true });
    fs.writeFileSync(join(dir, name), text);
  }
  return loadSettings(dir, {}, {});
}

const SETTINGS = {
  columns: { type: 'number', default: 3, minimum: 1, maximum: 4 },
  corners: { type: 'string', default: 'round', enum: ['round', 'square'] },
};

test('a theme is a package or a folder, with its parents before it and their settings', async (t) => {
  const settings = await siteWith(t, ['@someone/theme', { columns: 2 }], {
    'node_modules/@someone/theme/package.json': '{ "name": "@someone/theme" }',
    'node_modules/@someone/theme/theme.json': JSON.stringify({ parent: '../base', settings: SETTINGS }),
    'node_modules/@someone/theme/templates/article.eta': '',
    'node_modules/@someone/base/theme.json': JSON.stringify({
      settings: { columns: { type: 'number', default: 1 }, dark: { type: 'boolean', default: true } },
    }),
    'node_modules/@someone/base/templates/home.eta': '',
  });
  const modules = join(settings.dir, 'node_modules/@someone');
  t.deepEqual(themeOf(settings), {
    dirs: [join(modules, 'base/templates'), join(modules, 'theme/templates')],
    settings: { columns: 2, corners: 'round', dark: true },
  });
  t.deepEqual(themeOf(await siteWith(t, undefined, {})), { dirs: [], settings: {} });
});

const mine = (manifest: unknown) => ({
  'mine/theme.json': typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
  'mine/templates/article.eta': '',
});
const REFUSED: Record<string, [theme: unknown, files: Record<string, string>, words: RegExp]> = {
  'a theme that is not installed': ['@someone/theme', {}, /not installed; run npm install @someone\/theme/],
  'a folder without templates': ['./mine', {}, /"\.\/mine" has no folder templates/],
  'a theme that stands on itself': ['./mine', mine({ parent: '../mine' }), /stands on itself/],
  'a manifest that is not JSON': ['./mine', mine('{'), /theme\.json of .* is wrong/],
  'a manifest with another key': ['./mine', mine({ parents: [] }), /theme\.json of .* is wrong/],
  'a setting that the theme does not have': [
    ['./mine', { colums: 2 }],
    mine({ settings: SETTINGS }),
    /no setting "colums"; did you mean columns/,
  ],
  'a number out of bounds': [
    ['./mine', { columns: 9 }],
    mine({ settings: SETTINGS }),
    /"columns" must be a number from 1 to 4/,
  ],
  'a text that is not among those that there are': [
    ['./mine', { corners: 'sharp' }],
    mine({ settings: SETTINGS }),
    /"corners" must be one of round, square/,
  ],
};

for (const [name, [theme, files, words]] of Object.entries(REFUSED))
  test(`the config is refused for ${name}`, async (t) => {
    const settings = await siteWith(t, theme, files);
    t.throws(() => themeOf(settings), { code: 'CONFIG_INVALID', message: words });
  });

test('a file of the theme is copied from the topmost theme that has it, and nothing of the owner’s is overwritten', async (t) => {
  const settings = await siteWith(t, './mine', { 'mine/templates/article.eta': 'of the theme' });
  t.true(ejectableFiles(settings).includes('partials/footer.eta'));
  t.is(ejectFile(settings, 'article.eta'), 'templates/article.eta');
  t.is(fs.readFileSync(join(settings.dir, 'templates/article.eta'), 'utf8'), 'of the theme');
  ejectFile(settings, 'partials/footer.eta');
  t.true(fs.readFileSync(join(settings.dir, 'templates/partials/footer.eta'), 'utf8').includes('<footer'));
  t.throws(() => ejectFile(settings, 'article.eta'), { code: 'USAGE', message: /is there already/ });
  t.throws(() => ejectFile(settings, 'artikel.eta'), {
    code: 'USAGE',
    message: /no file "artikel.eta"; did you mean article.eta/,
  });
  t.throws(() => ejectFile(settings, '../package.json'), { code: 'USAGE' });
});
