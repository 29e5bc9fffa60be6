import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { startApp } from '../../app/app.js';
import { createSecret } from '../../app/init/env-file.js';
import { addIgnoreLines } from '../../app/init/ignore-lines.js';
import { tryPort } from '../../app/server/server.js';
import { childEnvironment } from '../../child-environment.js';
import { loadSettings } from '../../config/load.js';
import { createLog } from '../../log.js';
import { PACKAGE_FOLDER } from '../../own-package.js';
import { example, withPort } from '../options.js';
import { stopOnSignals } from '../signals.js';
import { print, printJson, setLoudness } from '../terminal.js';
import { type DemoStage, playDemo } from './script.js';

const DEFAULT_PORT = 8787;

/** The site before its first article: settings, pictures and the owner's pages. */
const EXAMPLE = join(PACKAGE_FOLDER, 'examples/reading-room');
const HOST = '127.0.0.1';

/** `pressmark demo`: a temporary site, real signed events, real commits and pages. */
export function demoCommand(): Command {
  return withPort(new Command('demo'))
    .option('--exit', 'end after the events, and remove the site')
    .option('--json', 'print the folder, the URL and whether all went well, as JSON, and nothing else')
    .addHelpText('after', example('pressmark demo --exit'))
    .action(async ({ port: wanted, exit, json }: { port?: number; exit?: boolean; json?: boolean }) => {
      if (json) setLoudness('quiet');
      const port = await freePort(wanted);
      const dir = fs.mkdtempSync(join(tmpdir(), 'pressmark-demo-'));
      const url = `http://localhost:${port}`;
      fs.cpSync(EXAMPLE, dir, { recursive: true });
      createSecret(dir);
      addIgnoreLines(dir, ['.env', '.pressmark/', 'public/']);
      const git = makeRepository(dir);
      // A separate environment, as a temporary site must not use the settings of a real one.
      const settings = await loadSettings(dir, { port, host: HOST }, { PRESSMARK_SITE_URL: url });
      const terminal = process.stdout.isTTY === true;
      const log = createLog({ level: 'error', terminal, atOnce: true });

      print(`A temporary site in ${dir}, with a secret of its own.\n`);
      const app = await startApp(settings, log, { terminal, live: true });
      const [secret = ''] = settings.secrets;
      const ok = await playDemo({ dir, url, endpoint: settings.endpoint, secret, git });
      if (!ok) process.exitCode = 1;
      if (json) printJson({ dir, url, ok });
      if (exit) {
        await app.close();
        fs.rmSync(dir, { recursive: true, force: true });
        return;
      }
      print(
        `\nThe site is served at ${url}/ — open it in a browser. Ctrl-C ends the demo; the folder stays.`,
      );
      stopOnSignals(app, log);
    });
}

/** The requested port, otherwise the usual one, or any free port if that is taken. */
async function freePort(wanted: number | undefined): Promise<number> {
  if (wanted !== undefined) return tryPort(wanted, HOST);
  return tryPort(DEFAULT_PORT, HOST).catch(() => tryPort(0, HOST));
}

/** Makes the temporary site a repository with a first commit; undefined if git is missing. */
function makeRepository(dir: string): DemoStage['git'] {
  const owner = ['-c', 'user.name=Owner', '-c', 'user.email=owner@localhost', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, ...owner, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
      env: childEnvironment(),
    });
  try {
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'A new site');
    return git;
  } catch {
    print('git was not found: the demo shows files and pages, no commits.');
    return undefined;
  }
}
