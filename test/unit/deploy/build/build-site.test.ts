import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createSiteBuild } from '../../../../src/deploy/build/build-site.js';
import { readBuildState, writeBuildState } from '../../../../src/deploy/build/build-state.js';
import { PressmarkError } from '../../../../src/errors.js';
import { readFiles, tempDir } from '../../../support/temp-dir.js';

const { signal } = new AbortController();
const failed = { kind: 'failed', ms: 1, exitCode: 1, signal: null } as const;
const nothing = { changed: 0, missing: [], skipped: [], warnings: [] };

/**
 * A site whose generator copies each article to the output and stops at the first one with a line `break: <reason>`, and whose
 * completion stops at one with `slow`.
 */
function site(t: ExecutionContext) {
  const root = tempDir(t);
  const [siteDir, stateDir] = [join(root, 'site'), join(root, 'state')];
  fs.mkdirSync(join(siteDir, 'content'), { recursive: true });
  fs.mkdirSync(stateDir);
  const world = {
    runs: 0,
    /** What breaks builds now, besides what the articles say. */
    passing: '',
    /** The article that is not live now. */
    hidden: undefined as string | undefined,
  };
  const articlesIn = (dir: string) =>
    fs.readdirSync(join(dir, 'content')).map((name) => {
      const path = `content/${name}`;
      return { path, url: `https://garden.example/${name}`, text: fs.readFileSync(join(dir, path), 'utf8') };
    });
  const open = () =>
    createSiteBuild({
      siteDir,
      stateDir,
      command: 'copy',
      output: 'public',
      except: ['public'],
      env: {},
      variables: {},
      runShellCommand: ({ cwd }) => {
        world.runs++;
        fs.mkdirSync(join(cwd, 'public'));
        fs.writeFileSync(join(cwd, 'public', 'index.html'), 'Home');
        for (const { url, text } of articlesIn(cwd)) {
          const reason = /break: (.*)/.exec(text)?.[1];
          if (reason !== undefined && (reason !== 'passing' || world.passing !== ''))
            return Promise.resolve({ ...failed, output: `${reason} ${world.passing}` });
          fs.writeFileSync(join(cwd, 'public', url.slice(url.lastIndexOf('/') + 1)), text);
        }
        if (world.passing === 'no output') fs.rmSync(join(cwd, 'public'), { recursive: true });
        return Promise.resolve({ kind: 'succeeded', ms: 1, output: '' });
      },
      articleSources: (dir) => ({
        articles: articlesIn(dir).filter(({ path }) => path !== world.hidden),
        malformed: [],
        hidden: world.hidden === undefined ? [] : [world.hidden],
      }),
      complete: (dir, _, excluded) => {
        const articles = articlesIn(dir).filter(({ path }) => !excluded.has(path));
        const slow = articles.find(({ text }) => text.includes('slow'));
        if (slow !== undefined)
          return Promise.reject(new PressmarkError('BUILD_FAILED', `it was at the page of ${slow.path}`));
        return Promise.resolve({ ...nothing, checked: articles.length });
      },
    });
  let build = open();
  t.teardown(() => build.close());
  return {
    write: (name: string, text: string) => fs.writeFileSync(join(siteDir, 'content', name), text),
    world,
    restart: () => {
      build.close();
      build = open();
    },
    build: (lastStateChange = 0, isForced = false) => build.build(signal, { lastStateChange, isForced }),
    stateDir,
    page: (name: string) => fs.readFileSync(join(siteDir, 'public', name), 'utf8'),
    pages: () => Object.keys(readFiles(join(siteDir, 'public'))).filter((name) => name.endsWith('.md')),
    reasons: () =>
      Object.fromEntries(
        readBuildState(stateDir).excluded.map(({ path, reason }) => [
          path,
          reason.replace(/^.*\n/s, '').trim(),
        ]),
      ),
  };
}

test('an article that broke a build for a passing reason is built by the next one, and one that breaks it still is not', async (t) => {
  const { write, build, reasons, pages, world } = site(t);
  world.passing = '403';
  write('a.md', 'break: passing');
  write('b.md', 'break: for good');
  await build();
  t.deepEqual(reasons(), { 'content/a.md': 'passing 403', 'content/b.md': 'for good 403' });
  world.passing = '500';
  t.is((await build()).kind, 'current', 'tried again');
  t.deepEqual(reasons(), { 'content/a.md': 'passing 500', 'content/b.md': 'for good 500' });
  world.passing = '';
  write('c.md', 'good');
  await build();
  t.deepEqual(pages(), ['c.md'], 'what is good need not wait');
  await build();
  t.deepEqual(pages(), ['a.md', 'c.md']);
  t.deepEqual(reasons(), { 'content/b.md': 'for good' });
});

test('an excluded article is tried once for each state of the site, and again after a restart', async (t) => {
  const { write, build, pages, restart, world } = site(t);
  world.passing = 'no space left';
  write('a.md', 'break: passing');
  write('b.md', 'good');
  await build();
  await build();
  const before = world.runs;
  t.is((await build()).kind, 'current');
  t.is(world.runs, before);
  world.passing = '';
  restart();
  t.is((await build()).kind, 'built');
  t.deepEqual(pages(), ['a.md', 'b.md']);
});

test('an excluded article is tried again by the next build, once, also where a file of the site changes all the time', async (t) => {
  const { write, build, pages, world } = site(t);
  world.passing = 'no space left';
  write('a.md', 'break: passing');
  write('b.md', 'good');
  t.like(await build(), { kind: 'built', isRetryDue: true });
  write('log', '1');
  t.like(await build(), { kind: 'built', isRetryDue: false, excluded: [{ path: 'content/a.md' }] });
  write('log', '2');
  t.like(await build(), { kind: 'built', isRetryDue: true, runs: 1 }, 'what is good need not wait');
  world.passing = '';
  write('log', '3');
  await build();
  t.deepEqual(pages(), ['a.md', 'b.md']);
});

test('an article whose page cannot be completed in time is excluded like one that breaks the build', async (t) => {
  const { write, build, reasons, pages } = site(t);
  write('a.md', 'good');
  write('b.md', 'slow');
  await build();
  t.deepEqual(reasons(), { 'content/b.md': 'it was at the page of content/b.md' });
  t.deepEqual(pages(), ['a.md']);
});

test('an article whose new text breaks the build keeps its text of the last good output, also after a restart', async (t) => {
  const { write, build, page, restart, reasons } = site(t);
  write('a.md', 'first');
  write('b.md', 'second');
  await build();
  restart();
  write('a.md', 'break: no such template');
  write('c.md', 'good');
  await build();
  t.deepEqual([page('a.md'), page('c.md')], ['first', 'good']);
  t.deepEqual(reasons(), { 'content/a.md': 'no such template' });
  restart();
  write('b.md', 'break: no such picture');
  write('c.md', 'better');
  await build();
  t.deepEqual([page('a.md'), page('b.md'), page('c.md')], ['first', 'second', 'better']);
});

test('a scheduled article is left out until its date has come, also where no file has changed since', async (t) => {
  const { write, build, restart, pages, world } = site(t);
  write('a.md', 'good');
  write('b.md', 'to come');
  world.hidden = 'content/b.md';
  t.like(await build(), { kind: 'built', excluded: [] });
  t.deepEqual(pages(), ['a.md']);
  world.hidden = undefined;
  t.is((await build()).kind, 'current');
  restart();
  const due = Date.now() - 60_000; // the clock was ahead at the last build
  t.like(await build(due), { kind: 'built', articles: [{ path: 'content/b.md' }] });
  t.deepEqual(pages(), ['a.md', 'b.md']);
  world.hidden = 'content/b.md';
  t.is((await build(due + 60_000)).kind, 'built');
  t.deepEqual(pages(), ['a.md'], 'an article that has expired');
  t.is(world.runs, 3);
});

test('where a crash came between the switch of the output and its record, or a build is wanted, the site is built although nothing has changed', async (t) => {
  const { write, build, page, stateDir } = site(t);
  write('a.md', 'good');
  await build();
  t.is((await build()).kind, 'current');
  t.is((await build(0, true)).kind, 'built');
  const before = readBuildState(stateDir);
  write('a.md', 'better');
  t.is((await build()).kind, 'built');
  await writeBuildState(stateDir, before);
  write('a.md', 'good');
  t.is((await build()).kind, 'built');
  t.is(page('a.md'), 'good');
  t.is((await build()).kind, 'current');
});

test('a build that fails without the new articles, too, or deletes its output is the fault of none of them', async (t) => {
  const { write, build, page, reasons, world } = site(t);
  write('a.md', 'break: passing');
  await build();
  world.passing = 'no template';
  write('b.md', 'good');
  const outcome = await build();
  t.is(outcome.kind, 'failed');
  t.deepEqual(reasons(), {});
  t.is(world.runs, 4, 'once more, as the failure may pass, and once without b.md');

  world.passing = '';
  await build();
  write('b.md', 'better');
  world.passing = 'no output';
  t.is((await build()).kind, 'failed');
  t.deepEqual(reasons(), {});
  t.is(page('b.md'), 'good', 'the last good output');
});
