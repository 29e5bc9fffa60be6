import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestFn } from 'ava';
import { ask } from '../../support/ask.js';
import { article } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { until } from '../../support/until.js';
import { PUBLISHED_AT } from './articles.js';
import { type LiveSite, nameOf, type SiteUnderTest } from './drop-in.js';

/** The server with which a site's people preview what they write. */
export interface DevServer {
  command(port: number): string;
  /** What it prints for each rebuild, or for each file that has caused some. */
  readonly rebuilt: RegExp;
}

/** Registers the test that a published article appears in the preview after one rebuild, and nothing else causes one. */
export function tryDevServer(
  test: TestFn,
  site: SiteUnderTest,
  live: () => LiveSite,
  { command, rebuilt }: DevServer,
): void {
  test.serial(
    `${nameOf(site)}: an article appears in the preview by itself, after one rebuild; nothing else causes one`,
    async (t) => {
      const { copy, receiver, buildOnce } = live();
      const port = await freePort();
      const preview = spawn('bash', ['-c', `exec ${command(port)}`], {
        cwd: copy.dir,
        env: copy.env(),
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      t.teardown(() => stop(preview));
      let printed = '';
      for (const stream of [preview.stdout, preview.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          printed += text;
        });
      const rebuilds = () => printed.match(rebuilt)?.length ?? 0;
      const origin = `http://localhost:${port}`;
      const get = async (path: string) => {
        const response = await fetch(`${origin}${path}`).catch(() => undefined);
        return response?.status === 200 ? response.text() : undefined;
      };
      const { pathname: base } = new URL(`${site.siteUrl}/`);
      await until(`${command(port)} serves the home page`, async () => (await get(base)) !== undefined);

      /** Publishes an article, with all that a service asks around it. @returns its path. */
      const publish = async (id: string): Promise<string> => {
        for (let probe = 0; probe < 5; probe++) t.is((await ask(receiver.origin, '/healthz')).status, 200);
        const data = article({ id, title: `Preview of ${id}`, slug: id, published_at: PUBLISHED_AT });
        const { status, json, text } = await receiver.post('article.published', data, {
          envelope: { timestamp: PUBLISHED_AT },
        });
        t.is(status, 200, text);
        t.is((await receiver.find(json.url)).id, id);
        return new URL(json.url).pathname;
      };
      const untilServed = (path: string) =>
        until(
          `${command(port)} serves ${path}`,
          async () => (await get(path))?.includes('Where to put the hive') === true,
        );
      const first = await publish('first-preview');
      // It causes no rebuild; and a watcher that was not ready has missed the article, whose page is then that of this build.
      await buildOnce();
      await untilServed(first);
      // Everything before the second article came, and so had its time to cause a rebuild.
      await untilServed(await publish('second-preview'));
      await until('the preview is rebuilt', () => rebuilds() > 0);
      t.true(rebuilds() === 2 || rebuilds() === 1, printed);
      for (const path of ['.env', '.pressmark/catalog.jsonl', 'pressmark.config.mjs']) {
        const served = await get(`${base}${path}`);
        t.false(served?.includes(copy.secret()) ?? false, path);
        if (path.startsWith('.')) t.is(served, undefined, `${path} is served`);
      }
    },
  );
}

/** Ends a server and all that it has started. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null) return;
  const ended = once(server, 'exit');
  process.kill(-server.pid, 'SIGKILL');
  await ended;
}
