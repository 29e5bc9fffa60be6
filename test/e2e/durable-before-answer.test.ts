import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn } from '../support/clones.js';
import { article } from '../support/events.js';
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

// The order of Pressmark's own calls is what test/integration/store/200-durable-before-answer.test.ts looks at.
test('200 with durability commit: objects, index, branch and the folders of both are on the disk before the answer', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  const config = JSON.stringify({ site: false, durability: 'commit' });
  fs.writeFileSync(join(dir, 'pressmark.config.json'), config);
  const output = join(dir, 'trace.txt');
  const calls = () => callsIn(fs.readFileSync(output, 'utf8'));
  const traced = 'trace=fsync,link,rename,write,writev';
  const wrapper = ['strace', '-f', '-y', '-s', '64', '-o', output, '-e', traced];
  // One thread in the pool: the calls come in one order.
  const receiver = await startReceiver(t, { dir, wrapper, env: { UV_THREADPOOL_SIZE: '1' } });
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
