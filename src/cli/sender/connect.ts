import { Command } from 'commander';
import { loadSettings } from '../../config/load.js';
import { PressmarkError } from '../../errors.js';
import { connect } from '../../sender/connect.js';
import { type Connector, readConnectors } from '../../sender/connectors.js';
import { stateOf } from '../../sender/state.js';
import { example, secretOf, serviceOption, withDir, withSecret } from '../options.js';
import { print, printJson } from '../terminal.js';

interface ConnectOptions {
  readonly dir: string;
  readonly secret?: string;
  readonly author?: string;
  readonly application?: string;
  readonly tracking?: string | false;
  readonly service?: Connector['service'];
  readonly json?: boolean;
}

/** `pressmark connect`: tests the connection to a receiver, and stores it for the sender. */
export function connectCommand(): Command {
  return withSecret(withDir(new Command('connect')))
    .argument('[name]', 'lowercase letters, digits, hyphens')
    .argument('[url]', 'the receiver’s URL')
    .addOption(serviceOption())
    .option('--author <name>', 'the byline of files without an author')
    .option('--application <name>', 'the Organization of the JSON-LD')
    .option('--tracking <url>', 'add a view-tracking image to every article')
    .option('--no-tracking', 'remove that image')
    .option('--json', 'print what is connected as JSON, without the secrets')
    .addHelpText(
      'after',
      example('pressmark connect garden https://example.com/webhook --secret - < secret.txt'),
    )
    .action(async (name: string | undefined, url: string | undefined, options: ConnectOptions) => {
      const settings = await loadSettings(options.dir);
      const state = stateOf(options.dir);
      if (name === undefined) return list(readConnectors(state), options.json === true);
      if (url === undefined)
        throw new PressmarkError(
          'USAGE',
          `connect needs the receiver's URL: pressmark connect ${name} <url>`,
        );
      const input = {
        name,
        url,
        secret: await secretOf(options.secret, settings.secrets[0]),
        author: options.author,
        application: options.application,
        tracking: options.tracking === false ? null : options.tracking,
        service: options.service ?? (options.secret === undefined ? settings.service : undefined),
      };
      const { connector, version, noRefresh } = await connect(state, input, Date.now());
      if (options.json) return printJson({ ...shown(connector), version, refresh: !noRefresh });
      print(`${name} is connected: a Version ${version} receiver at ${url}`);
      print(
        noRefresh === undefined ? 'It takes articles and refreshes.' : `It takes articles; ${noRefresh}.`,
      );
      if (version === 2)
        print(
          'Version 3 is current: its answer to a publish has the article’s id and url, so that the live link is known here.',
        );
    });
}

function list(connectors: readonly Connector[], json: boolean): void {
  if (json) printJson(connectors.map(shown), 2);
  else if (connectors.length === 0) print('Nothing is connected: pressmark connect <name> <url>');
  else for (const { name, url } of connectors) print(`${name}  ${url}`);
}

function shown({ secret: _secret, key: _key, earlier: _earlier, ...rest }: Connector) {
  return rest;
}
