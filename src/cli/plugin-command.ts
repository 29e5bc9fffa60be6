import { Command } from 'commander';
import { findCommand } from '../app/plugins/run-command.js';
import { loadSettings } from '../config/load.js';
import { withDir } from './options.js';
import { aligned, print, printable, warningLog } from './terminal.js';

/** Runs a command of a plugin, such as `announce:retry`. The plugin defines its options. */
export function commandOfPlugin(name: string): Command {
  return withDir(new Command(name))
    .helpOption(false) // help is printed after the plugin is loaded
    .allowUnknownOption()
    .argument('[words...]')
    .action(async (words: string[], { dir }: { dir: string }) => {
      const { command, run } = await findCommand(await loadSettings(dir), name);
      const { description, options = {} } = command;
      if (words.includes('--help') || words.includes('-h')) {
        const rows = Object.entries(options).map(([option, { type, short }]) => [
          `${short === undefined ? '' : `-${short}, `}--${option}${type === 'string' ? ' <text>' : ''}`,
        ]);
        print(`Usage: pressmark ${name} [options] [words...]\n\n${printable(description)}`);
        return print(
          [
            '',
            'Options:',
            ...aligned([...rows, ['--dir <folder>', 'the site’s']]).map((row) => `  ${row}`),
          ].join('\n'),
        );
      }
      const result = await run(words, warningLog());
      if (typeof result === 'string') print(printable(result));
    });
}
