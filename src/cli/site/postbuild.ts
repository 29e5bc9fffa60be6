import { Command } from 'commander';
import { completeSite, isWithinBuild, missingSentence } from '../../app/build/postbuild.js';
import { loadSettings } from '../../config/load.js';
import { example, withDir } from '../options.js';
import { print, printJson } from '../terminal.js';
import { printFindings } from './generator-build.js';

/** `pressmark postbuild`: the step between the generator and the deploy. */
export function postbuildCommand(): Command {
  return withDir(new Command('postbuild'))
    .argument('[output]', 'the built site (default: output in the config)')
    .option('--json', 'print what was found as JSON')
    .addHelpText('after', example('pressmark postbuild dist'))
    .action(async (output: string | undefined, { dir, json }: { dir: string; json?: boolean }) => {
      const settings = await loadSettings(dir);
      const report = await completeSite(settings, output ?? settings.output);
      // Within a build by Pressmark, that build checks again and reports missing pages.
      if (report.missing.length > 0 && !isWithinBuild(settings)) process.exitCode = 1;
      if (json) {
        printJson(report);
        return;
      }
      printFindings(report.warnings, report.missing.map(missingSentence));
      print(
        `${report.checked - report.missing.length} of ${report.checked} articles are complete, ${report.changed} pages were changed`,
      );
    });
}
