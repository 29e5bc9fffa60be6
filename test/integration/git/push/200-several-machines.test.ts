import fs from 'node:fs';
import test from 'ava';
import { gitIn, inClone, launchMachine, makeRemote } from '../../../support/clones.js';
import { article, update } from '../../../support/events.js';
import { runHere } from '../../../support/in-process.js';
import { startHere } from '../../../support/receiver-here.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

// `npm run torture` delivers to three machines with a clone each, at random, and kills them.

test('200: two receivers in one clone, as a rolling deploy has them, are two machines; what a killed one has acknowledged stays, and a remote that is away is waited for', async (t) => {
  const clones = makeRemote(tempDir(t));
  const [a, b] = [clones.clone('a'), clones.clone('b')];
  const killed = await launchMachine(a);
  t.teardown(() => killed.kill('SIGKILL'));
  const second = await startHere(t, { ...inClone(a), resend: true });
  const other = await startHere(t, { ...inClone(b), resend: true });
  for (const command of ['status', 'doctor']) {
    const { stdout } = await runHere([command, '--dir', a]);
    t.regex(stdout, /✓ receiver|articles are committed to main/, command);
    t.notRegex(stdout, /commits nothing/, command);
  }
  const data = article();
  const answers = await Promise.all([killed, second].map(({ post }) => post('article.published', data)));
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  t.is(answers[0]?.text, answers[1]?.text);
  const { url } = answers[0]?.json ?? { url: '' };
  const { revision_id: base_revision_id } = await other.find(url);
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  t.is((await killed.post('article.updated', request)).status, 200);
  await killed.kill('SIGKILL');
  for (const { find } of [second, other]) t.is((await find(url)).revision_id, request.id);

  fs.renameSync(clones.remote, `${clones.remote}.away`);
  const meanwhile = article();
  const waiting = other.post('article.published', meanwhile);
  await until('the machine notices that the remote is away', () =>
    other.log.some(({ msg }) => msg === 'the git remote cannot be asked; tried again'),
  );
  fs.renameSync(`${clones.remote}.away`, clones.remote);
  const answer = await waiting;
  t.is(answer.status, 200);
  t.is((await second.post('article.published', meanwhile)).text, answer.text);

  const ids = [...clones.articles().values()].map((text) => /^id: "(.*)"$/m.exec(text)?.[1] ?? '');
  t.deepEqual(ids.sort(), [data.id, meanwhile.id].sort(), 'each is there once');
  const tip = clones.git('rev-parse', 'main').trim();
  for (const dir of [a, b]) {
    await until(
      'each clone follows the remote',
      () => gitIn(dir, 'rev-parse', 'HEAD').trim() === tip && gitIn(dir, 'status', '--porcelain') === '',
    );
    t.is(gitIn(dir, 'symbolic-ref', 'HEAD').trim(), 'refs/heads/main');
    t.is(gitIn(dir, 'fsck', '--full', '--no-dangling').trim(), '');
  }
});
