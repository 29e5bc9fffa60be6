import { Argument, Command } from 'commander';
import { runsTypeScript } from '../app/plugins/load-plugins.js';
import { createPlugin } from '../app/plugins/new-plugin.js';
import { example, withDir } from './options.js';
import { paint } from './terminal.js';

/** `pressmark plugin new`: a plugin to begin with, and its test. */
export function pluginCommand(): Command {
  return withDir(new Command('plugin'))
    .description('begin a plugin: write plugins/<name>.mjs, and a test that runs it in a real receiver')
    .addArgument(new Argument('<action>', 'what to do').choices(['new']))
    .argument('<name>', 'lower-case letters, digits and hyphens')
    .option('--ts', 'in TypeScript, with a tsconfig.json if there is none')
    .addHelpText('after', example('pressmark plugin new word-count'))
    .action((_action: string, name: string, { dir, ts = false }: { dir: string; ts?: boolean }) => {
      const files = createPlugin(dir, { name, isTyped: ts });
      for (const path of files) console.log(`${paint('green', '✓')} ${path}`);
      console.log(`\nRun its test:   node --test ${files[1]}\nRun it:         pressmark start --watch`);
      if (ts && !runsTypeScript())
        console.log(
          `\n${paint('yellow', '!')} Node.js ${process.versions.node} does not run TypeScript: use 22.18 or newer, or compile it to JavaScript`,
        );
    });
}
