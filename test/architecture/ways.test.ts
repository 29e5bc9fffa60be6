// The stops of each way through the code: those that docs/architecture.md names, and the files on the stack of the running
// program. Their helpers, which a reader may also open, do not count.

import children from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startCommand } from '../../src/cli/start.js';
import { put, testSite } from '../integration/site/test-site.js';
import { createClient, publishForUpdate } from '../support/client.js';
import { committedIds, gitEnvironment, makeRepository } from '../support/clones.js';
import { article } from '../support/events.js';
import { freePort } from '../support/free-port.js';
import { SECRET } from '../support/signer.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { waysTo } from '../support/way.js';

const isArticle = ([, target]: readonly unknown[]) => String(target).endsWith('.md');

/** The ways to the system calls that give an article its name, move the branch, and listen. */
const ways = {
  publish: waysTo(fs, 'linkSync', isArticle),
  update: waysTo(fs, 'renameSync', isArticle),
  commit: waysTo(children, 'spawn', ([, args]) => /update-ref .*--stdin/.test([args].flat().join(' '))),
  listen: waysTo(net.Server.prototype, 'listen', () => true),
};

/** The ways of a build to the reading of an article, to its template, and to its page. */
const pageWays = [
  waysTo(fs, 'openSync', ([path]) => String(path).endsWith('/new.md')),
  waysTo(Object.assign(globalThis, { inTemplate: () => '' }), 'inTemplate', () => true),
  waysTo(fs, 'renameSync', ([, path]) => String(path).endsWith('/new/index.html')),
];

/** Starts a receiver in this process as the program does, and stops it after the test. @returns its webhook's URL. */
async function start(t: ExecutionContext, dir: string): Promise<string> {
  const port = await freePort();
  const variables = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: 'https://garden.example' };
  Object.assign(process.env, gitEnvironment(dir), variables);
  const exited = new Promise((resolve) => Object.assign(process, { exit: resolve }));
  await startCommand().parseAsync(['--dir', dir, '--port', String(port)], { from: 'user' });
  t.teardown(() => {
    process.emit('SIGTERM', 'SIGTERM');
    return exited;
  });
  return `http://127.0.0.1:${port}/webhook`;
}

/** Where the ways begin, so that a stack that was cut short is not taken for a short way. */
const START = 'src/cli/start.ts';
const SOCKET = 'src/app/server/connections.ts';
const STORE = 'src/store/article-store.ts';
const QUEUE = 'src/repeated-task.ts';

test('the map names few stops for each way, and each of them exists', (t) => {
  const map = fs.readFileSync('docs/architecture.md', 'utf8');
  const most = {
    // Two from the start, then twelve from the socket; five, and one of level push; ten, and one for another generator.
    'From the request to the answer': 2 + 12,
    'From the answer to the commit': 5 + 1,
    'From the answer to the page': 10 + 1,
  };
  for (const [name, limit] of Object.entries(most)) {
    const [, way = ''] = map.split(`**${name}.**`);
    const named = [...(way.split('\n**')[0] ?? '').matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(
      ([, path]) => path ?? '',
    );
    t.true(named.length > 4 && named.length <= limit, `${name}: ${named.join(' ')}`);
    for (const path of named) t.true(fs.existsSync(path), path);
  }
});

test('few files are on the stack from a start, an event, a write or a commit to the system call', async (t) => {
  const dir = makeRepository(join(tempDir(t), 'site'), { site: false, logLevel: 'silent' });
  const client = createClient(await start(t, dir));
  const { request } = await publishForUpdate(client, article());
  t.is((await client.post('article.updated', request)).status, 200);
  await until('both are committed', () => committedIds(dir).length === 2);

  const isShort = (what: string, way: readonly string[], begins: string, most: number) => {
    t.is(way[0], begins, `${what}: ${way.join(' > ')}`);
    t.true(way.length <= most, `${what}: ${way.length} files: ${way.join(' > ')}`);
  };
  const listen = ways.listen.at(-1) ?? [];
  for (const what of ['publish', 'update'] as const) {
    const [way = []] = ways[what];
    isShort(`${what}, from the socket`, way, SOCKET, 12);
    isShort(`${what}, from the start`, [...new Set([...listen, ...way])], START, 18);
    isShort(`${what}, from the store`, way.slice(way.indexOf(STORE)), STORE, 6);
  }
  isShort('commit', ways.commit[0] ?? [], QUEUE, 5);
});

test('a page passes eight files in a build, from the changed article to the disk', async (t) => {
  const site = testSite(t);
  put(join(site.options.templatesDir, 'article.eta'), '<%= inTemplate() %>');
  await site.builder.build('all');
  await site.builder.build([site.write('new')]);
  await site.builder.close();
  const ways = pageWays.map(([way = []]) => way);
  for (const way of ways) t.is(way[0], 'src/site/builder/builder.ts');
  t.deepEqual(
    [...new Set(ways.flat())],
    [
      ...['src/site/builder/builder.ts', 'src/site/index/articles.ts'],
      ...['src/store/catalog/scan.ts', 'src/store/catalog/content-folder.ts', 'src/fs/read-text.ts'],
      ...['src/site/builder/built-files.ts', 'src/site/outputs/planner.ts', 'src/site/render/render.ts'],
    ],
  );
});
