import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { until } from '../../support/until.js';
import { ALL, type EditedArticle, type EditedSite, sharedSite } from './edited-site.js';

// At level disk an update waits until git has the edit that it replaces. Where git does not come to it in time, the
// edit is kept as a plain file.

const [PUBLISHED = '', , UPDATED = ''] = ALL;
const site = sharedSite(test, 'disk');
const { dir, git } = site;

/** The texts of an article that are kept as plain files, below the site's folder. */
function keptOf(at: EditedSite, { path }: EditedArticle): string[] {
  const folder = join('.pressmark', 'replaced', path);
  const names = fs.existsSync(join(at.dir, folder)) ? fs.readdirSync(join(at.dir, folder)) : [];
  return names.map((name) => join(folder, name));
}

/** Waits until the edit is in git or in a plain file, and the update is committed. */
async function assertKept(t: ExecutionContext, at: EditedSite, one: EditedArticle, text: string) {
  await until('the update is committed', () => one.subjects().at(-1) === UPDATED);
  t.is(one.at(0), fs.readFileSync(one.file, 'utf8'));
  t.is(one.status(), '');
  if (one.subjects().length === ALL.length) {
    t.deepEqual(one.subjects(), ALL);
    t.is(one.at(1), text);
  } else {
    t.deepEqual(one.subjects(), [PUBLISHED, UPDATED]);
    t.is(fs.readFileSync(join(at.dir, keptOf(at, one)[0] ?? ''), 'utf8'), text);
  }
}

test.serial(
  '200: after a receiver was killed before git update-ref, the edit is in its file, and the update is sent again',
  async (t) => {
    const one = await site.publish();
    const { text, request } = await one.edit('my words\n');
    const receiver = await site.receiver();
    git.set('killed-before', 'update-ref');
    await t.throwsAsync(receiver.post('article.updated', request));
    await receiver.kill('SIGCONT'); // waits for its end
    t.is(fs.readFileSync(one.file, 'utf8'), text);
    const again = await site.receiver();
    t.is((await again.post('article.updated', request)).status, 200);
    await assertKept(t, site, one, text);
  },
);

test.serial(
  '200: where git fails, the edit is a plain file that the log, doctor and pressmark log name, and revert puts back',
  async (t) => {
    const one = await site.publish();
    const { text, request } = await one.edit('my words\n');
    const receiver = await site.receiver();
    git.set('fail', 'update-index');
    t.is((await receiver.post('article.updated', request)).status, 200);
    const [kept = ''] = keptOf(site, one);
    t.is(fs.readFileSync(join(dir, kept), 'utf8'), text);
    await until('the log names it', () =>
      receiver.log.some(({ file }) => file === kept.replace('.pressmark/', '')),
    );
    git.clear();
    await until('the update is committed', () => one.subjects().at(-1) === UPDATED);

    const env = { PRESSMARK_SITE_URL: SITE_URL, HOME: dir };
    const doctor = await runHere(['doctor', '--dir', dir], env);
    t.true(doctor.stdout.includes(kept), doctor.stdout);
    const log = await runHere(['log', one.id, '--dir', dir], env);
    t.true(log.stdout.includes(kept), log.stdout);
    const reverted = await runHere(['revert', one.id, request.base_revision_id, '--dir', dir], env);
    t.is(reverted.code, 0, reverted.stderr);
    t.true(fs.readFileSync(one.file, 'utf8').includes('my words'));
  },
);
