import { Command } from 'commander';
import { ejectableFiles, ejectFile } from '../app/builder/theme.js';
import { loadSettings } from '../config/load.js';
import { example, withDir } from './options.js';

/** `pressmark theme`: the files of the site's theme. */
export function themeCommand(): Command {
  const eject = withDir(new Command('eject'))
    .argument('[file]', 'such as article.eta; without it, the files that there are')
    .description('copy a file of the theme into templates/, as a starting point')
    .addHelpText('after', example('pressmark theme eject partials/footer.eta'))
    .action(async (file: string | undefined, { dir }: { dir: string }) => {
      const settings = await loadSettings(dir);
      if (file === undefined) for (const name of ejectableFiles(settings)) console.log(name);
      else console.log(`${ejectFile(settings, file)} is yours now; delete it to have the theme's again`);
    });
  return new Command('theme')
    .description('the files of the site’s theme')
    .addHelpText('after', example('pressmark theme eject article.eta'))
    .addCommand(eject.exitOverride().showHelpAfterError('(run with --help for the options)'));
}
