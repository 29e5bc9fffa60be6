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

test('a theme is a package or a folder; without one there is the built-in theme alone, and one that is not there is refused', async (t) => {
  const folderOf = async (theme: string | undefined, ...files: string[]) => {
    const settings = await siteWith(t, theme, files);
    return themeFolder(settings)?.slice(settings.dir.length);
  };
  const own = '/node_modules/@someone/theme/templates';
  t.is(await folderOf('@someone/theme', `${own}/../package.json`, `${own}/article.eta`), own);
  t.is(await folderOf('./mine', 'mine/templates/article.eta'), '/mine/templates');
  t.is(await folderOf(undefined), undefined);
  const message = /not installed; run npm install @someone\/theme/;
  await t.throwsAsync(folderOf('@someone/theme'), { code: 'CONFIG_INVALID', message });
  const noTemplates = /"\.\/mine" has no folder templates/;
  await t.throwsAsync(folderOf('./mine', 'mine/readme.txt'), {
    code: 'CONFIG_INVALID',
    message: noTemplates,
  });
});
