import { Argument, Command } from 'commander';
import { runsTypeScript } from '../app/plugins/load-plugins.js';
import { createPlugin } from '../app/plugins/new-plugin.js';
import { example, withDir } from './options.js';
import { paint, print, printJson } from './terminal.js';

/** `pressmark plugin new`: creates a plugin and its test as a starting point. */
export function pluginCommand(): Command {
  return withDir(new Command('plugin'))
    .addArgument(new Argument('<action>', 'what to do').choices(['new']))
    .argument('<name>', 'lower-case letters, digits and hyphens')
    .option('--ts', 'in TypeScript')
    .option('--json', 'print the files as JSON')
    .addHelpText('after', example('pressmark plugin new word-count'))
    .action(
      (
        _action: string,
        name: string,
        { dir, ts = false, json }: { dir: string; ts?: boolean; json?: boolean },
      ) => {
        const files = createPlugin(dir, { name, isTyped: ts });
        if (json) return printJson({ files });
        for (const path of files) print(`${paint('green', '✓')} ${path}`);
        print(`\nRun its test:   node --test ${files[1]}\nRun it:         pressmark start --watch`);
        if (ts && !runsTypeScript())
          print(
            `\n${paint('yellow', '!')} Node.js ${process.versions.node} does not run TypeScript: use 22.18 or newer, or compile it to JavaScript`,
          );
      },
    );
}
