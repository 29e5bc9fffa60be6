import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { replacedFiles } from '../../../src/git/commit/replaced-files.js';
import { fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { bareEnvironment, run, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

/** A PATH on which there is no git. */
function pathWithoutGit(t: ExecutionContext): string {
  const folder = tempDir(t);
  for (const program of ['flock', 'sh', 'sync']) {
    const path = execFileSync('which', [program], { encoding: 'utf8' }).trim();
    fs.symlinkSync(path, join(folder, program));
  }
  return folder;
}

const CASES: Record<string, (t: ExecutionContext, dir: string) => NodeJS.Dict<string>> = {
  'the site is in no repository': () => ({}),
  'git is false in the config': (_, dir) => {
    execFileSync('git', ['init', '--quiet', dir]);
    fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false, "git": false }');
    return {};
  },
  'git is not installed': (t, dir) => {
    execFileSync('git', ['init', '--quiet', dir]);
    return { PATH: pathWithoutGit(t) };
  },
};

for (const [when, prepare] of Object.entries(CASES))
  test(`200: where ${when}, an edit that an update replaces is kept as a file, which log and doctor name`, async (t) => {
    const dir = tempDir(t);
    fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false }');
    const env = prepare(t, dir);
    const receiver = await startReceiver(t, { dir, env });
    const data = article();
    const { url } = (await receiver.post('article.published', data)).json;
    const file = fileOf(dir, data.id);
    const replace = async () => {
      const { revision_id: base_revision_id } = await receiver.find(url);
      const change = update({ target_id: data.id, target_url: url, base_revision_id });
      t.is((await receiver.post('article.updated', change)).status, 200);
      t.is((await receiver.find(url)).revision_id, change.revision_id);
    };
    await replace();
    t.deepEqual(replacedFiles(join(dir, '.pressmark')), [], 'the service’s own text is the service’s');

    fs.appendFileSync(file, 'my words\n');
    const text = fs.readFileSync(file);
    await replace();
    const kept = replacedFiles(join(dir, '.pressmark'));
    t.is(kept.length, 1);
    t.true(kept[0]?.startsWith(`replaced/${relative(dir, file)}/`));
    t.deepEqual(fs.readFileSync(join(dir, '.pressmark', kept[0] ?? '')), text);
    t.false(fs.readFileSync(file).equals(text));
    const logged = receiver.log.find(({ msg }) => msg.startsWith('an update has replaced a text'));
    t.is(logged?.file, kept[0]);
    const { stdout } = await run(['doctor', '--dir', dir], { ...bareEnvironment(), ...env });
    t.true(stdout.includes(`! git: a text that an update has replaced has no commit: .pressmark/${kept[0]}`));
  });
