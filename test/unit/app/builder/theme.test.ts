import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { themeFolder } from '../../../../src/app/builder/theme.js';
import { loadSettings } from '../../../../src/config/load.js';
import { folderWith } from '../../../support/temp-dir.js';

/** The settings of a site in a folder with these files. */
function siteWith(t: ExecutionContext, theme: string | undefined, files: readonly string[]) {
  const config = JSON.stringify({ siteUrl: 'https://garden.example', site: { theme } });
  const each = Object.fromEntries(files.map((name) => [name, '{}']));
  return loadSettings(folderWith(t, { 'pressmark.config.json': config, ...each }), {}, {});
}

test('a theme is a package or a folder; without one there is the built-in theme alone', async (t) => {
  const ofPackage = await siteWith(t, '@someone/theme', [
    'node_modules/@someone/theme/package.json',
    'node_modules/@someone/theme/templates/article.eta',
  ]);
  t.is(themeFolder(ofPackage), join(ofPackage.dir, 'node_modules/@someone/theme/templates'));
  const ofFolder = await siteWith(t, './mine', ['mine/templates/article.eta']);
  t.is(themeFolder(ofFolder), join(ofFolder.dir, 'mine/templates'));
  t.is(themeFolder(await siteWith(t, undefined, [])), undefined);
});

test('the config is refused for a theme that is not there', async (t) => {
  const missing = await siteWith(t, '@someone/theme', []);
  t.throws(() => themeFolder(missing), {
    code: 'CONFIG_INVALID',
    message: /not installed; run npm install @someone\/theme/,
  });
  const empty = await siteWith(t, './mine', ['mine/readme.txt']);
  t.throws(() => themeFolder(empty), {
    code: 'CONFIG_INVALID',
    message: /"\.\/mine" has no folder templates/,
  });
});
