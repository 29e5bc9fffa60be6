import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Finding } from '../../../src/app/doctor/finding.js';
import { gitIn } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const ENV = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL, PORT: '0' };
const HOUR_MS = 3_600_000;
const status = (dir: string) => runHere(['status', '--dir', dir], ENV);

/** What doctor says of git. */
async function ofGit(dir: string): Promise<Finding[]> {
  const { stdout } = await runHere(['doctor', '--dir', dir, '--json'], ENV);
  return (JSON.parse(stdout) as Finding[]).filter(({ about }) => about === 'git');
}

test('status names the receiver that runs, before the first article and after it, and says when none runs', async (t) => {
  const dir = storeOnly(tempDir(t));
  t.regex(
    (await status(dir)).stdout,
    /^! receiver {2}none is running on this machine; run pressmark start$/m,
  );
  const receiver = await startHere(t, { dir });
  const { port } = receiver;
  const fresh = await status(dir);
  t.is(fresh.code, 0);
  t.regex(
    fresh.stdout,
    new RegExp(`^✓ receiver  process ${process.pid} on port ${port}, started \\d+ (?:s|min) ago$`, 'm'),
  );
  t.regex(fresh.stdout, /^ {2}delivery {2}none yet$/m);
  await receiver.post('article.published', article({ slug: 'soil' }));
  await receiver.close();
  const after = await status(dir);
  t.regex(after.stdout, /^! receiver {2}none is running on this machine; what follows is what the last one/m);
  t.regex(after.stdout, /^✓ delivery {2}https:\/\/garden\.example\/articles\/soil\/ \d+ (?:s|min) ago$/m);
});

test('status names a search for what breaks the build, in place of an older failure, while a receiver is at it', async (t) => {
  const dir = storeOnly(tempDir(t));
  const receiver = await startHere(t, { dir });
  const at = new Date(Date.now() - 10 * HOUR_MS).toISOString();
  const news = { buildError: { at, reason: 'no space left' } };
  fs.writeFileSync(join(dir, '.pressmark/facts.jsonl'), `${JSON.stringify(news)}\n`);
  t.regex((await status(dir)).stdout, /^✗ build {5}the last build failed 10 h ago: no space left$/m);
  fs.mkdirSync(join(dir, '.pressmark/build'), { recursive: true });
  const state = { excluded: [], search: { since: at, articles: 30 } };
  fs.writeFileSync(join(dir, '.pressmark/build/build.json'), JSON.stringify(state));
  const { stdout } = await status(dir);
  t.regex(stdout, /^! build {5}fails; the search for what breaks it, among 30 articles, began 10 h ago$/m);
  t.notRegex(stdout, /no space left/);
  await receiver.close();
  t.notRegex((await status(dir)).stdout, /the search/, 'it was left behind');
});

test('where git was set up after the start, doctor and status say that the receiver must be restarted', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false }');
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\n');
  const first = await startHere(t, { dir });
  await first.post('article.published', article({ slug: 'soil' }));
  t.notRegex((await status(dir)).stdout, /commit /, 'without a repository nothing is committed');
  gitIn(dir, 'init', '--quiet');
  const words = `the receiver (process ${process.pid}) commits nothing, as it was started before git was set up here`;
  const { code, stdout } = await status(dir);
  t.is(code, 1);
  t.true(stdout.includes(`✗ git       ${words}\n  → restart it`), stdout);
  const findings = await ofGit(dir);
  t.like(
    findings.filter(({ level }) => level === 'fail'),
    [{ text: words }],
  );
  t.false(findings.some(({ text }) => text.startsWith('articles are committed to')));

  await first.close();
  const second = await startHere(t, { dir });
  await until('the article is committed', () =>
    gitIn(dir, 'log', '--branches', '--format=%s').includes('Publish: '),
  );
  t.is((await status(dir)).code, 0);
  t.like((await ofGit(dir))[0], { level: 'ok' });
  await second.close();
});

test('status says why the last commit failed, until there is one', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false }');
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\n');
  gitIn(dir, 'init', '--quiet');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '--message=First');
  const rebase = join(dir, '.git/rebase-merge');
  fs.mkdirSync(rebase);
  const receiver = await startHere(t, { dir });
  await receiver.post('article.published', article({ slug: 'soil' }));
  const failed = /^✗ commit {4}content\/\S+soil\.md could not be committed \d+ s ago: .*rebase/m;
  await until('status says so', async () => failed.test((await status(dir)).stdout));
  t.is((await status(dir)).code, 1);
  fs.rmdirSync(rebase);
  await until('the article is committed', () => gitIn(dir, 'log', '--format=%s').includes('Publish: '));
  await until('status says so', async () => (await status(dir)).code === 0);
});

test('an article that is not on its page is named, as a failure after five minutes, and list says it too', async (t) => {
  const dir = tempDir(t);
  const receiver = await startHere(t, { dir, env: ENV, config: { git: false, site: { search: false } } });
  await receiver.post('article.published', article({ slug: 'soil' }));
  await receiver.close();
  const [file] = fs
    .readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'));
  const url = `${SITE_URL}/articles/soil/`;
  const write = (hours: number, found?: string) => {
    const at = new Date(Date.now() - hours * HOUR_MS).toISOString();
    const awaited = { path: `content/${file}`, id: 'a', url, at, found };
    fs.writeFileSync(join(dir, '.pressmark/facts.jsonl'), `${JSON.stringify({ awaited })}\n`);
  };
  write(0);
  const fresh = await status(dir);
  t.is(fresh.code, 0);
  t.true(fresh.stdout.includes(`  live      ${url} not seen on its page yet; delivered `), fresh.stdout);
  write(6, 'the page answers 404');
  const late = await status(dir);
  t.is(late.code, 1);
  t.true(late.stdout.includes(`✗ live      ${url} not live yet: the page answers 404; delivered 6 h ago`));
  const list = await runHere(['list', '--dir', dir], ENV);
  t.true(list.stdout.includes(`${url} (not seen live yet)`), list.stdout);
});

test('status and doctor judge each awaited article, not only the newest, and agree on a push that failed', async (t) => {
  const dir = storeOnly(tempDir(t));
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false, "git": { "push": true } }');
  const now = Date.now();
  const news = Array.from({ length: 8 }, (_, n) => {
    const late = n === 0 ? { found: 'the page answers 404' } : {};
    const at = new Date(now - (n === 0 ? 10 * HOUR_MS : 1_000)).toISOString();
    return {
      awaited: { path: `content/${n}.md`, id: `${n}`, url: `${SITE_URL}/articles/${n}/`, at, ...late },
    };
  });
  fs.mkdirSync(join(dir, '.pressmark'));
  fs.writeFileSync(
    join(dir, '.pressmark/facts.jsonl'),
    news.map((one) => `${JSON.stringify(one)}\n`).join(''),
  );
  const push = { lastError: 'GH006: Protected branch', isDeclined: true, waiting: 1 };
  fs.writeFileSync(join(dir, '.pressmark/push.json'), JSON.stringify(push));
  const { code, stdout } = await status(dir);
  t.is(code, 1);
  t.regex(stdout, /^✗ live {6}\S+\/articles\/0\/ not live yet: the page answers 404; delivered 10 h ago$/m);
  t.regex(stdout, /^ {2}live {6}3 more were not seen on their pages/m, 'those came a second ago');
  t.regex(stdout, /^✗ push {6}.*GH006/m);
  const doctor = await runHere(['doctor', '--dir', dir], ENV);
  t.is(doctor.code, 1);
  t.regex(doctor.stdout, /^✗ live: \S+\/articles\/0\/ not live yet/m);
  t.regex(doctor.stdout, /^✗ push: .*GH006/m);
});

test('status names the jobs that failed, and counts those that wait', async (t) => {
  const dir = storeOnly(tempDir(t));
  t.notRegex((await status(dir)).stdout, / job /);
  fs.mkdirSync(join(dir, '.pressmark/jobs/noted'), { recursive: true });
  const at = new Date(Date.now() - 3 * HOUR_MS).toISOString();
  const note = (id: string, state: object) => ({
    name: 'article.published',
    at,
    payload: { id },
    jobs: { 'announce.post': state },
  });
  const error = 'answered 500';
  const nextAt = '2099-01-01T00:00:00.000Z';
  const events = [
    note('a1', { kind: 'failed', attempt: 2, error, nextAt }),
    note('a2', { kind: 'givenUp', attempt: 10, error, at }),
    note('a3', { kind: 'waiting' }),
    note('a4', { kind: 'running', attempt: 1, since: at }),
  ];
  fs.writeFileSync(join(dir, '.pressmark/jobs/noted/1.json'), `${JSON.stringify({ events })}\n`);
  const { code, stdout } = await status(dir);
  t.is(code, 1);
  const lines = [
    `✗ job       announce.post failed 2 times for article.published of a1, tried again at ${nextAt}: answered 500`,
    '✗ job       announce.post failed 10 times for article.published of a2, given up 3 h ago: answered 500',
    '! job       announce.post: 2 events wait',
  ];
  for (const line of lines) t.true(stdout.split('\n').includes(line), stdout);
  const json = JSON.parse((await runHere(['status', '--dir', dir, '--json'], ENV)).stdout);
  t.is(json.jobs.length, 4);
  t.like(json.jobs[0], {
    job: 'announce.post',
    event: 'article.published',
    id: 'a1',
    state: { kind: 'failed', attempt: 2 },
  });
});
