import '../../support/recorded-syncs.js';

import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { eachAtATime } from '../../../src/fs/each-at-a-time.js';
import { fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { launchHere, type ReceiverHere } from '../../support/receiver-here.js';
import { copyAtEachSync } from '../../support/recorded-syncs.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

const PLUGIN = `import fs from 'node:fs';
export default { name: 'keeper', receiver(host) {
  const me = process.hrtime.bigint();
  host.job('seen', { on: 'article.updated', async run({ article }) {
    fs.appendFileSync(host.paths.site + '/runs', article.revision + ' ' + me + '\\n');
    await host.storage.set(article.revision, true);
  } });
  host.routes((router) => {
    router.get('/set/:state', async (context) => { context.body = await host.articles.setState('kept', context.params.state); });
    router.get('/now', async (context) => {
      const { state, revision } = await host.articles.get('kept');
      context.body = { state, revision, isSeen: (await host.storage.get(revision)) === true };
    });
  });
} };`;

interface Now {
  readonly state: string;
  readonly revision: string;
  readonly isSeen: boolean;
}

async function ask({ origin }: ReceiverHere, path: string): Promise<Now> {
  return (await (await fetch(`${origin}/-/keeper${path}`)).json()) as Now;
}

test.serial(
  'setState: a receiver that is killed at any write leaves the article changed or as it was, and one of two that follow runs its job',
  async (t) => {
    const [dir, copies] = [storeOnly(tempDir(t)), tempDir(t)];
    withPlugins(dir, { keeper: PLUGIN });
    const first = await launchHere(dir);
    const { json } = await first.post('article.published', article({ id: 'kept', slug: 'kept' }));
    let isAnswered = false;
    const { take, stop } = copyAtEachSync(dir, copies, () => ({ isAnswered }));
    const { revision } = await ask(first, '/set/held');
    isAnswered = true;
    take();
    await until('the job has run', async () => (await ask(first, '/now')).isSeen);
    // From its run on, what is written is the job's; that is in unit/host/jobs-killed and storage-killed.
    const moments = stop().filter(({ copy }) => !fs.existsSync(join(copy, 'runs')));
    await first.close();
    t.true(moments.length >= 6, `${moments.length} moments`);

    const states = new Set<string>();
    // A few side by side, as each waits for its job most of the time.
    await eachAtATime(3, [...moments.entries()], async ([n, { copy, isAnswered }]) => {
      const isChanged = /^held: /m.test(fs.readFileSync(fileOf(copy, 'kept'), 'utf8'));
      // Before the change no job is due, for which of two would matter.
      const all = await Promise.all([launchHere(copy), ...(isChanged ? [launchHere(copy)] : [])]);
      const [next, other = next] = all;
      const found = await ask(next, '/now');
      states.add(found.state);
      t.is(found.state, isChanged ? 'held' : 'live', `moment ${n}`);
      if (isAnswered) t.is(found.revision, revision, `moment ${n}`);
      t.is((await next.find(json.url)).revision_id, found.revision, `moment ${n}: a lookup`);
      const isRun = async (revision: string) => {
        const now = await ask(other, '/now');
        return now.revision === revision && now.isSeen;
      };
      if (isChanged) await until(`moment ${n}: the job has run`, () => isRun(found.revision));
      const last = isChanged ? 'live' : 'held';
      const { revision: lastRevision } = await ask(other, `/set/${last}`);
      await until(`moment ${n}: the job of the next change has run`, () => isRun(lastRevision));
      t.is((await ask(next, '/now')).state, last, `moment ${n}`);
      const runs = fs.readFileSync(join(copy, 'runs'), 'utf8').trimEnd().split('\n');
      const receivers = new Set(runs.map((run) => run.split(' ')[1]));
      t.is(receivers.size, 1, `moment ${n}: one of the two runs the jobs`);
      await Promise.all(all.map(({ close }) => close()));
    });
    t.deepEqual([...states].sort(), ['held', 'live'], 'before it was written, and after it');
  },
);
