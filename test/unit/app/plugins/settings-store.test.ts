import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as z from 'zod';
import { openSettingsStore } from '../../../../src/app/plugins/settings-store.js';
import { loadSettings } from '../../../../src/config/load.js';
import { SETTINGS_FILE } from '../../../../src/config/settings-file.js';
import type { PressmarkError } from '../../../../src/errors.js';
import { definePlugin, type Plugin } from '../../../../src/host/plugin.js';
import { gitIn } from '../../../support/clones.js';
import { withSigner } from '../../../support/commit-signer.js';
import { bareEnvironment } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';

const BY = { name: 'Ada Oak', email: 'ada@garden.example' };
const desk = definePlugin({
  name: 'desk',
  secrets: ['DESK_TOKEN'],
  options: z.object({ limit: z.number().max(10).default(3), tags: z.array(z.string()).optional() }),
  receiver: () => undefined,
}) as Plugin;

/** The store of a site with one plugin. @param options those of the config. */
async function storeOf(
  t: ExecutionContext,
  { options, git = false, sign = false }: { options?: object; git?: boolean; sign?: boolean } = {},
) {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, '.pressmark'));
  const run = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' });
  if (git) {
    run('init', '--quiet');
    fs.writeFileSync(join(dir, 'staged'), 'by the owner');
    run('add', 'staged');
  }
  if (sign) fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "git": { "sign": true } }');
  fs.writeFileSync(join(dir, '.env'), 'DESK_TOKEN=a-token-of-the-desk\n');
  const settings = await loadSettings(
    dir,
    {},
    { ...bareEnvironment(), PRESSMARK_SECRET: 'never-in-this-file' },
  );
  const entry = { plugin: desk, origin: 'plugins/desk.mjs', ...(options !== undefined && { options }) };
  const store = openSettingsStore(settings, [entry]);
  const file = () => fs.readFileSync(join(dir, SETTINGS_FILE), 'utf8');
  const base = async () => (await store.read('desk'))?.base ?? '';
  return { ...store, file, base, git: run, dir };
}

test('settings store: saved settings are in the file, need a restart, and are one commit by who saved them', async (t) => {
  const { read, save, file, base, git } = await storeOf(t, { git: true });
  t.like(await read('desk'), { plugin: 'desk', kept: {}, needsRestart: false });
  const saved = await save('desk', { limit: 7, tags: ['a'] }, await base(), BY);
  t.is(saved.kind === 'saved' && saved.commit.kind, 'committed');
  t.is(
    file(),
    '{\n  "plugins": {\n    "desk": {\n      "limit": 7,\n      "tags": [\n        "a"\n      ]\n    }\n  }\n}\n',
  );
  t.like(await read('desk'), { kept: { limit: 7, tags: ['a'] }, needsRestart: true });
  t.is(
    git('log', '--format=%an <%ae> %s', '--name-only').trim(),
    `Ada Oak <ada@garden.example> Settings: desk\n\n${SETTINGS_FILE}`,
  );
  t.is(
    git('status', '--porcelain', '--', 'staged', SETTINGS_FILE),
    'A  staged\n',
    'what the owner has staged stays staged',
  );
  await save('desk', {}, await base(), BY);
  t.is(file(), '{\n  "plugins": {}\n}\n');
  t.is((await read('desk'))?.needsRestart, false);
});

test('settings store: with git.sign the commit is signed, and one that cannot be signed is not made', async (t) => {
  const { save, base, dir } = await storeOf(t, { git: true, sign: true });
  const isSigned = withSigner(dir, tempDir(t));
  await save('desk', { limit: 7 }, await base(), BY);
  t.true(isSigned());
  gitIn(dir, 'config', 'gpg.program', 'false');
  const saved = await save('desk', { limit: 8 }, await base(), BY);
  t.is(saved.kind === 'saved' && saved.commit.kind, 'failed');
});

test('settings store: what somebody else has saved since is not overwritten', async (t) => {
  const { save, file, base } = await storeOf(t);
  const before = await base();
  // Where the processor is busy, the lock is not always waited for long enough.
  const saved = (limit: number): ReturnType<typeof save> =>
    save('desk', { limit }, before, BY).catch((error: PressmarkError) => {
      if (error.code !== 'LOCK_TIMEOUT') throw error;
      return saved(limit);
    });
  const both = await Promise.all([saved(4), saved(5)]);
  t.deepEqual(both.map(({ kind }) => kind).sort(), ['conflict', 'saved']);
  const { limit } = JSON.parse(file()).plugins.desk;
  t.is(both[limit - 4]?.kind, 'saved');
  const lost = both[5 - limit];
  t.is(lost?.kind === 'conflict' && lost.now.kept.limit, limit);
  t.is(lost?.kind === 'conflict' && lost.now.base, await base());
});

test('settings store: what the schema refuses, the config sets or a secret holds is not written', async (t) => {
  const { read, save, base, dir } = await storeOf(t, { options: { limit: 2 } });
  t.like(await read('desk'), { configured: { limit: '2' }, text: '{\n  "limit": 2\n}', needsRestart: false });
  const faults = async (values: Record<string, unknown>) => {
    const saved = await save('desk', values, await base(), BY);
    return saved.kind === 'wrong' ? saved.faults : saved.kind;
  };
  t.like(await faults({ tags: 'none' }), [{ path: 'tags' }]);
  t.regex(JSON.stringify(await faults({ limit: 4 })), /set in the config and in pressmark\.settings\.json/);
  t.deepEqual(await faults({ tags: ['x a-token-of-the-desk'] }), [
    { path: 'tags', text: 'it holds the value of DESK_TOKEN, a secret; leave it in .env' },
  ]);
  t.regex(JSON.stringify(await faults({ tags: ['never-in-this-file'] })), /PRESSMARK_SECRET/);
  t.false(fs.existsSync(join(dir, SETTINGS_FILE)));
  await t.throwsAsync(save('chair', {}, '', BY), { code: 'USAGE' });
});

test('settings store: where git cannot commit now, the file is written and the reason said', async (t) => {
  const { save, base, git, dir } = await storeOf(t, { git: true });
  git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--message=first');
  fs.writeFileSync(join(dir, '.git/MERGE_HEAD'), `${git('rev-parse', 'HEAD')}`);
  const saved = await save('desk', { limit: 1 }, await base(), BY);
  t.regex(saved.kind === 'saved' && saved.commit.kind === 'failed' ? saved.commit.reason : '', /merge/);
  t.is(git('log', '--format=%s').trim(), 'first');
});

test('settings store: a form of another version of the plugin, whose options were others, is a conflict', async (t) => {
  const { base, dir } = await storeOf(t);
  const before = await base();
  const settings = await loadSettings(
    dir,
    {},
    { ...bareEnvironment(), PRESSMARK_SECRET: 'never-in-this-file' },
  );
  const options = z.object({ title: z.string().optional(), limit: z.number().optional() });
  const plugin = definePlugin({ name: 'desk', options, receiver: () => undefined }) as Plugin;
  const { save } = openSettingsStore(settings, [{ plugin, origin: 'plugins/desk.mjs' }]);
  t.is((await save('desk', { limit: 7 }, before, BY)).kind, 'conflict');
});
