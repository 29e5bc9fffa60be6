import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn, launchIn } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import type { Receiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** A git that fails, or kills the receiver that runs it, at a command that a test names. */
function gitThatFails(t: ExecutionContext) {
  const bin = tempDir(t);
  const rule = join(bin, 'rule');
  const { PATH = '' } = process.env;
  const script = [
    '#!/bin/sh',
    `PATH='${PATH}'`,
    `if [ -e '${rule}' ]; then`,
    `  read -r what command times < '${rule}'`,
    '  case " $* " in *" $command "*)',
    '    case $what in fail) exit 128;; esac',
    `    if [ "$times" -gt 1 ]; then echo "$what $command $((times - 1))" > '${rule}'; else`,
    `      rm '${rule}'`,
    '      case $what in killed-after) git "$@";; esac',
    '      kill -9 $PPID; exit 137',
    '    fi;;',
    '  esac',
    'fi',
    'exec git "$@"',
    '',
  ];
  fs.writeFileSync(join(bin, 'git'), script.join('\n'), { mode: 0o755 });
  return {
    env: { PATH: `${bin}:${PATH}` },
    set: (what: 'fail' | 'killed-before' | 'killed-after', command: string, times = 1) =>
      fs.writeFileSync(rule, `${what} ${command} ${times}\n`),
    mend: () => fs.rmSync(rule, { force: true }),
  };
}

/** A receiver at level commit that commits edits, and an article of it. */
async function siteWithArticle(t: ExecutionContext) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(
    join(dir, 'pressmark.config.json'),
    JSON.stringify({ site: false, durability: 'commit', git: { commitEdits: true } }),
  );
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  const git = gitThatFails(t);
  const start = async () => {
    const receiver = await launchIn(dir, { env: git.env });
    t.teardown(() => receiver.kill('SIGKILL'));
    return receiver;
  };
  const receiver = await start();
  const data = article();
  const { url } = (await receiver.post('article.published', data)).json;
  const file = fileOf(dir, data.id);
  /** Edits the file; returns its text and an update that was made from it. */
  const edit = async ({ find }: Receiver, words: string) => {
    fs.appendFileSync(file, words);
    const { revision_id: base } = await find(url);
    t.regex(base, /^edit-/);
    return {
      text: fs.readFileSync(file, 'utf8'),
      request: update({ target_id: data.id, target_url: url, base_revision_id: base }),
    };
  };
  const subjects = () => gitIn(dir, 'log', '--reverse', '--format=%s', 'main').trim().split('\n').slice(1);
  return { dir, git, start, receiver, file, edit, subjects };
}

const ALL = [
  'Publish: Keeping bees on a balcony',
  'Edit: Keeping bees on a balcony',
  'Update: Keeping bees on a windy balcony',
];

test('200: an edit that an update replaces is committed before it, by itself and once', async (t) => {
  const { dir, receiver, file, edit, subjects } = await siteWithArticle(t);
  const { text, request } = await edit(receiver, 'my words, “quoted”\r\nand no line end');
  t.is((await receiver.post('article.updated', request)).status, 200);
  t.deepEqual(subjects(), ALL);
  const path = file.slice(dir.length + 1);
  t.is(gitIn(dir, 'show', `HEAD^:${path}`), text);
  t.is(gitIn(dir, 'show', `HEAD:${path}`), fs.readFileSync(file, 'utf8'));
  t.is(gitIn(dir, 'log', '-1', '--format=%(trailers:key=Delivery-Timestamp)', 'HEAD^').trim(), '');
  t.is((await receiver.post('article.updated', request)).status, 200, 'a retry');

  // one that is in HEAD already needs no commit of ours
  const second = await edit(receiver, 'more words\n');
  gitIn(dir, 'commit', '--quiet', '-am', 'My own commit');
  t.is((await receiver.post('article.updated', second.request)).status, 200);
  // what the watcher has seen has had its two seconds by the time of the stop
  await receiver.stop();
  t.deepEqual(subjects().slice(3), ['My own commit', ALL[2] ?? '']);
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
});

test('200: an edit that is no UTF-8 is committed byte for byte', async (t) => {
  const { dir, receiver, file, edit, subjects } = await siteWithArticle(t);
  fs.appendFileSync(file, Buffer.from('caf\xe9 ', 'latin1'));
  const { request } = await edit(receiver, 'noir\n');
  const bytes = fs.readFileSync(file);
  t.is((await receiver.post('article.updated', request)).status, 200);
  t.deepEqual(subjects(), ALL);
  const path = file.slice(dir.length + 1);
  t.is(
    gitIn(dir, 'rev-parse', `HEAD^:${path}`),
    execFileSync('git', ['hash-object', '--stdin'], { input: bytes, encoding: 'utf8' }),
  );
});

test('503: where an edit cannot be committed, it stays, and nothing of the update is stored', async (t) => {
  const { git, receiver, file, edit, subjects } = await siteWithArticle(t);
  const { text, request } = await edit(receiver, 'my words\n');
  git.set('fail', 'fast-import');
  t.is((await receiver.post('article.updated', request)).status, 503);
  t.is(fs.readFileSync(file, 'utf8'), text);
  git.mend();
  t.is((await receiver.post('article.updated', request)).status, 200);
  t.deepEqual(subjects(), ALL);
});

for (const [what, command, times] of [
  ['killed-before', 'fast-import', 1],
  ['killed-before', 'update-ref', 1],
  ['killed-after', 'update-ref', 1],
  ['killed-before', 'fast-import', 2],
  ['killed-before', 'update-ref', 2],
] as const)
  test(`200: ${what.replace('-', ' ')} git ${command}, number ${times}: the retry leaves one Edit and one Update`, async (t) => {
    const { dir, git, start, receiver, file, edit, subjects } = await siteWithArticle(t);
    const { text, request } = await edit(receiver, 'my words\n');
    git.set(what, command, times);
    await t.throwsAsync(receiver.post('article.updated', request));
    const again = await start();
    t.is((await again.post('article.updated', request)).status, 200);
    await again.stop();
    t.deepEqual(subjects(), ALL);
    t.is(gitIn(dir, 'show', `HEAD^:${file.slice(dir.length + 1)}`), text);
    t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
  });

test('200: while HEAD is detached, the edit is parked before the update', async (t) => {
  const { dir, receiver, edit, subjects } = await siteWithArticle(t);
  gitIn(dir, 'checkout', '--quiet', '--detach');
  const { request } = await edit(receiver, 'my words\n');
  t.is((await receiver.post('article.updated', request)).status, 200);
  gitIn(dir, 'checkout', '--quiet', 'main');
  t.is((await receiver.post('article.published', article({ title: 'Another' }))).status, 200);
  await until(() => subjects().length === 4);
  t.deepEqual(subjects(), [...ALL, 'Publish: Another']);
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
});

test('an edit that its owner has staged is theirs, also when an update replaces it', async (t) => {
  const { dir, receiver, edit, subjects } = await siteWithArticle(t);
  const { text, request } = await edit(receiver, 'my words\n');
  gitIn(dir, 'add', 'content');
  t.is((await receiver.post('article.updated', request)).status, 200);
  await receiver.stop();
  t.deepEqual(subjects(), [ALL[0] ?? '', ALL[2] ?? '']);
  const [name = ''] = gitIn(dir, 'diff', '--cached', '--name-only').trim().split('\n');
  t.is(gitIn(dir, 'show', `:${name}`), text);
});
