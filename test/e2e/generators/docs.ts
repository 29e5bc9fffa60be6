import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import type { TestFn } from 'ava';
import { type Client, createClient } from '../../support/client.js';
import { article } from '../../support/events.js';
import { firstCommands } from '../../support/first-commands.js';
import { freePort } from '../../support/free-port.js';
import { pageOf } from '../../support/static-server.js';
import { until } from '../../support/until.js';
import { PUBLISHED_AT } from './articles.js';
import { INSTALL, type SiteUnderTest } from './drop-in.js';
import { checkOut, ROOT, type WorkingCopy } from './working-copy.js';

/** A site that the commands of the docs have brought live. */
export interface LiveSite {
  readonly copy: WorkingCopy;
  /** `http://127.0.0.1:<port>` of the receiver. */
  readonly origin: string;
  /** Sends to the receiver. */
  readonly client: Client;
}

/**
 * Registers the test that runs docs/<generator>.md word for word.
 *
 * @returns a function that returns the site, for the tests after it.
 */
export function followDocs(test: TestFn, site: SiteUnderTest): () => LiveSite {
  let live: LiveSite | undefined;
  const disposers: (() => unknown)[] = [];
  test.after.always(async () => {
    for (const dispose of disposers) await dispose();
  });

  test.serial(`docs/${site.folder}.md leads from a clone to the first article live`, async (t) => {
    const commands = firstCommands(fs.readFileSync(join(ROOT, `docs/${site.folder}.md`), 'utf8'));
    const copy = checkOut(site);
    disposers.unshift(copy.remove);
    const port = await freePort();
    const env = { PORT: String(port) };
    let url = '';
    for (const command of commands) {
      if (INSTALL.test(command)) copy.install();
      else if (command.startsWith('npx pressmark start')) {
        const receiver = spawn('bash', ['-c', `exec ${command}`], {
          cwd: copy.dir,
          env: { ...copy.env(), ...env },
          stdio: 'ignore',
          detached: true,
        });
        disposers.unshift(async () => {
          if (receiver.pid === undefined || receiver.exitCode !== null) return;
          const ended = once(receiver, 'exit');
          process.kill(-receiver.pid, 'SIGKILL');
          await ended;
        });
        const origin = `http://127.0.0.1:${port}`;
        await until(`${command} answers`, async () =>
          fetch(`${origin}/healthz`).then(
            ({ status }) => status === 200,
            () => false,
          ),
        );
        const client = createClient(`${origin}/webhook`, { secret: copy.secret() });
        live = { copy, origin, client };
        const data = article({ slug: 'the-first-article', published_at: PUBLISHED_AT });
        const answer = await client.post('article.published', data, {
          envelope: { timestamp: PUBLISHED_AT },
        });
        t.is(answer.status, 200, answer.text);
        url = answer.json.url;
      } else {
        const { code, stdout, stderr } = await copy.shell(command, env);
        t.is(code, 0, `${command}\n${stdout}\n${stderr}`);
      }
    }
    t.true(url.startsWith(`${site.siteUrl}/`), url);
    const file = pageOf(url.slice(site.siteUrl.length + 1));
    const page = () => {
      const path = copy.path(site.output, file);
      return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
    };
    await until(`${file} is built`, () => page() !== '');
    t.true(page().includes('Where to put the hive') && page().includes(site.marker), file);
  });

  return () => {
    if (live === undefined) throw new Error('the docs did not lead to a receiver');
    return live;
  };
}
