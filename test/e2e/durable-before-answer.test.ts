import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn } from '../support/clones.js';
import { article, update } from '../support/events.js';
import { startReceiver } from '../support/receiver.js';
import { tempDir } from '../support/temp-dir.js';

interface Call {
  readonly name: string;
  readonly rest: string;
}

/** What the kernel did, in the order of completion, on whatever thread. */
function callsIn(trace: string): Call[] {
  const begun = new Map<string, string>();
  return trace.split('\n').flatMap((line) => {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (text.endsWith('<unfinished ...>')) {
      begun.set(thread, text);
      return [];
    }
    const whole = text.startsWith('<...') ? (begun.get(thread) ?? '') : text;
    const [, name, rest] = /^(\w+)\((.*)$/.exec(whole) ?? [];
    return name === undefined || rest === undefined ? [] : [{ name, rest }];
  });
}

async function traced(
  t: Parameters<typeof startReceiver>[0],
  inject: readonly string[] = [],
  prepare: (dir: string) => void = () => undefined,
) {
  const dir = tempDir(t);
  prepare(dir);
  const output = join(dir, 'trace.txt');
  const wrapper = [
    'strace',
    '-f',
    '-y',
    '-s',
    '64',
    '-o',
    output,
    '-e',
    'trace=fsync,link,rename,write,writev',
    ...inject,
  ];
  // One thread in the pool: the calls come in one order, and `when=` counts them.
  const receiver = await startReceiver(t, { dir, wrapper, env: { UV_THREADPOOL_SIZE: '1' } });
  return { dir, receiver, calls: () => callsIn(fs.readFileSync(output, 'utf8')) };
}

const at = (calls: readonly Call[], name: RegExp, rest: RegExp) =>
  calls.findIndex((call) => name.test(call.name) && rest.test(call.rest));

test('200: the file, then its name, then the folder are on the disk before the answer goes out', async (t) => {
  const { receiver, calls } = await traced(t);
  t.is((await receiver.post('article.published', article({ id: 'a', slug: 'hive' }))).status, 200);
  const trace = calls();
  const file = at(trace, /^fsync$/, /\.pressmark-[\w-]+\.tmp/);
  const name = at(trace, /^link$/, /hive\.md/);
  const folder = trace.findIndex(
    (call, index) => index > name && call.name === 'fsync' && /2026\/11>/.test(call.rest),
  );
  const answer = at(trace, /^writev?$/, /HTTP\/1\.1 200 OK.*/);
  const answers = trace.flatMap(({ rest }, index) => (rest.includes('HTTP/1.1 200 OK') ? [index] : []));
  t.true(file >= 0 && name > file, 'the file is synced before it gets its name');
  t.true(folder > name, 'the folder is synced after that');
  t.true(answer >= 0 && (answers.at(-1) ?? -1) > folder, 'the answer comes last');
});

test('200: an update is on the disk before the answer goes out', async (t) => {
  const { receiver, calls } = await traced(t);
  const { json } = await receiver.post('article.published', article({ id: 'a', slug: 'hive' }));
  const { revision_id } = await receiver.find(json.url);
  const before = calls().length;
  const target = { target_id: 'a', target_url: json.url, base_revision_id: revision_id };
  t.is((await receiver.post('article.updated', update(target))).status, 200);
  const trace = calls().slice(before);
  const file = at(trace, /^fsync$/, /\.pressmark-[\w-]+\.tmp/);
  const name = at(trace, /^rename$/, /hive\.md/);
  const folder = trace.findIndex(
    (call, index) => index > name && call.name === 'fsync' && /2026\/11>/.test(call.rest),
  );
  const answer = at(trace, /^writev?$/, /HTTP\/1\.1 200 OK/);
  t.deepEqual([file >= 0, name > file, folder > name, answer > folder], [true, true, true, true]);
});

test('200 with durability commit: objects, index, branch and the folders of both are on the disk before the answer', async (t) => {
  const { receiver, calls } = await traced(t, [], (dir) => {
    gitIn(dir, 'init', '--quiet', '--initial-branch=main');
    gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
    const config = JSON.stringify({ site: false, durability: 'commit' });
    fs.writeFileSync(join(dir, 'pressmark.config.json'), config);
  });
  // the first one syncs every folder; what the second one syncs is its own
  t.is((await receiver.post('article.published', article())).status, 200);
  const before = calls().length;
  t.is((await receiver.post('article.published', article())).status, 200);
  const trace = calls().slice(before);
  const last = (name: RegExp, rest: RegExp) =>
    trace.findLastIndex((call) => name.test(call.name) && rest.test(call.rest));
  const answer = last(/^writev?$/, /HTTP\/1\.1 200 OK/);
  const object = last(/^fsync$/, /\.git\/objects\/(?:[0-9a-f]{2}\/)?tmp_obj/);
  const named = last(/^(?:link|rename)$/, /\.git\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}/);
  const objects = last(/^fsync$/, /\.git\/objects\/[0-9a-f]{2}>/);
  const index = last(/^rename$/, /\.git\/index\.lock", "[^"]+\.git\/index"/);
  const branch = last(/^rename$/, /refs\/heads\/main\.lock/);
  const synced = trace.findIndex(
    ({ name, rest }, at) => at > index && name === 'fsync' && /\.git>/.test(rest),
  );
  const heads = last(/^fsync$/, /\.git\/refs\/heads>/);
  t.true(object >= 0 && named > object, 'an object is synced before it gets its name');
  t.true(objects > named, 'then its folder');
  t.true(
    index >= 0 && synced > index && branch > synced,
    'the index and its folder are synced before the branch moves',
  );
  t.true(branch > named && heads > branch, 'then the branch moves, and its folder is synced');
  t.true(answer > Math.max(objects, heads), 'the answer comes last');
});

for (const [when, what] of [
  [1, 'the file’s'],
  [2, 'the folder’s'],
] as const) {
  test(`500: ${what} fsync fails with EIO, nothing stays, and the same delivery succeeds afterwards`, async (t) => {
    const inject = ['-e', `inject=fsync:error=EIO:when=${when}`];
    const { dir, receiver } = await traced(t, inject, (site) => {
      // Neither the start nor a build may have anything to sync.
      fs.writeFileSync(join(site, 'pressmark.config.json'), JSON.stringify({ site: false }));
      fs.mkdirSync(join(site, '.pressmark'));
      fs.writeFileSync(join(site, '.pressmark/.gitignore'), '*\n');
    });
    const delivery = article({ id: 'a', slug: 'hive' });
    const { status, json } = await receiver.post('article.published', delivery);
    t.is(status, 500);
    t.regex(json.error, /EIO/);
    const left = fs.readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' });
    t.deepEqual(
      left.filter((name) => name.endsWith('.md') || name.includes('.pressmark')),
      [],
    );
    t.is((await receiver.post('article.published', delivery)).status, 200);
    t.is((await receiver.find('https://garden.example/articles/hive/')).id, 'a');
  });
}
