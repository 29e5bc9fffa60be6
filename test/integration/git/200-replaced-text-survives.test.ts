import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { until } from '../../support/until.js';
import { ALL, sharedSite } from './edited-site.js';

// At level disk an update waits until git has the edit that it replaces. Where git does not come to it in time, the
// edit is kept as a plain file.

const [, , UPDATED = ''] = ALL;
const site = sharedSite(test, 'disk');
const { dir, git } = site;

test.serial(
  '200: where git fails, the edit is a plain file that the log, doctor and pressmark log name, and revert puts back',
  async (t) => {
    const one = await site.publish();
    const { text, request } = await one.edit('my words\n');
    const receiver = site.receiver();
    git.fail('update-index');
    t.is((await receiver.post('article.updated', request)).status, 200);
    const folder = join('.pressmark/replaced', one.path);
    const kept = join(folder, fs.readdirSync(join(dir, folder))[0] ?? '');
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
