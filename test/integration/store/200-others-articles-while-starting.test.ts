import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { DEFAULT_FILE_PATTERN, DEFAULT_PERMALINK, patternLayout } from '../../../src/generators/layout.js';
import { createPushStatus } from '../../../src/git/push/push-status.js';
import { openSharedFiles, type PushStore } from '../../../src/git/remote-store/push-store.js';
import { contentFolder } from '../../../src/store/catalog/entry.js';
import { openSharedStore } from '../../../src/store/shared/open-shared.js';
import { openSharedCatalog } from '../../../src/store/shared/shared-catalog.js';
import type { OnFetched } from '../../../src/store/shared/shared-files.js';
import { type Clones, commitAndPush, gitEnvironment, gitIn, makeRemote } from '../../support/clones.js';
import { SITE_URL } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

const log = pino({ level: 'silent' });
const PATH = 'content/articles/hive.md';
const FETCH_MS = 100;

/** An article's file as another receiver writes it. */
function fileOf(id: string, title = 'Hive'): string {
  return `---\ntitle: ${title}\nid: ${id}\nurl: ${SITE_URL}/articles/${id}/\nrevision: r-1\ndate: 2026-01-02T00:00:00Z\n---\nText.\n`;
}

/** The shared files of a clone whose remote has one article, and another clone that pushes to it. */
async function setUp(t: ExecutionContext): Promise<{
  open(onFetched: OnFetched): Promise<PushStore>;
  clones: Clones;
  dir: string;
  other: string;
}> {
  const folder = tempDir(t);
  const clones = makeRemote(folder);
  const other = clones.clone('other');
  commitAndPush(other, PATH, fileOf('hive'));
  const dir = clones.clone('ours');
  const stateDir = join(dir, '.pressmark');
  fs.mkdirSync(stateDir);
  gitIn(dir, 'update-ref', 'refs/pressmark/remote', 'HEAD'); // what a receiver before knew
  const open = async (onFetched: OnFetched) => {
    const files = await openSharedFiles({
      siteDir: dir,
      content: 'content/',
      stateDir,
      status: createPushStatus(join(stateDir, 'push.json')),
      env: gitEnvironment(folder),
      log,
      fetchEvery: FETCH_MS,
      onFetched,
      message: async () => 'A commit\n',
      onCommit: () => undefined,
      onFiles: () => undefined,
    });
    t.teardown(files.close);
    return files;
  };
  return { clones, dir, other, open };
}

test('an article that others store while the catalog is filled is found', async (t) => {
  const { dir, other, open } = await setUp(t);
  const content = contentFolder(
    join(dir, 'content'),
    patternLayout(SITE_URL, DEFAULT_FILE_PATTERN, DEFAULT_PERMALINK),
  );
  const sharedCatalog = await openSharedCatalog({
    content,
    stateDir: join(dir, '.pressmark'),
    log,
    onChange: () => undefined,
  });
  let isFirst = true;
  const shared = await open((changes, files) =>
    sharedCatalog.onFetched(changes, {
      names: files.names,
      texts: async (paths) => {
        const found = await files.texts(paths);
        if (isFirst) {
          isFirst = false;
          commitAndPush(other, 'content/articles/bee.md', fileOf('bee'));
          await setTimeout(10 * FETCH_MS);
        }
        return found;
      },
    }),
  );
  const opened = await openSharedStore({ sharedCatalog, shared, log, watch: false });
  t.teardown(opened.close);
  t.false(isFirst);
  for (const id of ['hive', 'bee'])
    t.is((await opened.store.find(`${SITE_URL}/articles/${id}/`)).article.id, id);
});

for (const [what, undo] of [
  ['removed by a commit', (other: string) => gitIn(other, 'rm', '--quiet', 'content/articles/bee.md')],
  ['taken back by force', (other: string) => gitIn(other, 'reset', '--quiet', '--hard', 'HEAD~')],
] as const)
  test(`an article that the store could not read, and was ${what} since, is not known`, async (t) => {
    const { other, open } = await setUp(t);
    const reported: (readonly [string, boolean])[][] = [];
    const files = await open(async (changes) => {
      reported.push([...changes].map(([path, name]) => [path, name !== undefined]));
      if (reported.length !== 2) return;
      undo(other);
      if (what === 'removed by a commit') gitIn(other, 'commit', '--quiet', '-m', 'Remove');
      gitIn(other, 'push', '--quiet', '--force');
      throw new Error('a disk fault');
    });
    commitAndPush(other, 'content/articles/bee.md', fileOf('bee'));
    await files.refresh();
    t.deepEqual(reported, [
      [['articles/hive.md', true]],
      [['articles/bee.md', true]],
      [['articles/bee.md', false]],
    ]);
    t.deepEqual([...files.names.keys()], ['articles/hive.md']);
    await files.refresh();
    t.is(reported.length, 3);
  });
