import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { createPlugin } from '../../src/app/plugins/new-plugin.js';
import { GENERATORS } from '../../src/generators/registry.js';
import { tempDir } from '../support/temp-dir.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => fs.readFileSync(join(ROOT, path), 'utf8');
const manifest: { version: string } = JSON.parse(read('package.json'));

/** The files of the package, as `npm pack` chooses them. */
function packed(): string[] {
  const npm = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const answer: unknown = JSON.parse(
    execFileSync('npm', npm, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const [report] = Object.values(answer as Record<string, { files: { path: string }[] }>);
  return report?.files.map(({ path }) => path) ?? [];
}

const FILES = packed();
const PAGES = FILES.filter((path) => path.endsWith('.md'));

test('the package holds what its pages name', (t) => {
  t.true(PAGES.includes('docs/deploy.md'));
  for (const page of PAGES)
    for (const [, target = ''] of read(page).matchAll(/(?<!!)\[[^\]]*\]\(([^)#\s]+)/g)) {
      if (/^[a-z]+:|^[/$]/.test(target)) continue;
      const path = posix.join(posix.dirname(page), target);
      t.true(FILES.includes(path), `${page}: ${target}`);
    }
  t.true(FILES.includes('examples/reading-room/static/pictures/dial.svg'));
  t.true(FILES.includes('examples/magazine-theme/templates/home.eta'));
  t.false(FILES.some((path) => /(?:^|\/)(?:test\/|\.env)/.test(path)));
});

test('there is one way to install it, which all pages give', (t) => {
  const archive = `./vendor/pressmark-${manifest.version}.tgz`;
  for (const page of [...PAGES, 'README.md'])
    for (const [line] of read(page).matchAll(/^.*npm (?:install|i) .*pressmark.*$/gm))
      t.is(line.trim(), `npm install ${archive}`, page);
  for (const page of ['README.md', ...GENERATORS.map(({ name }) => `docs/${name}.md`)])
    t.true(read(page).includes(`npm install ${archive}\n`), page);
  t.regex(read('README.md'), /git clone <address of this repository> \.\.\/pressmark\n/);
  t.regex(read('docs/container.md'), /^COPY vendor \.\/vendor$/m);
});

const PLUGIN = `import { definePlugin, type ConfigInput } from 'pressmark';

declare module 'pressmark' {
  interface Services { 'typed.count': () => number }
}

export const config: ConfigInput = { siteUrl: 'https://example.com' };

export default definePlugin({
  name: 'typed',
  requires: { pressmark: '*' },
  receiver(host) {
    host.addFilter('article.draft', (draft) => ({ ...draft, title: draft.title.trim() }));
    host.job('note', {
      on: 'article.live',
      run: ({ url, at }, { signal }) => signal.aborted || host.storage.set('last', { url, at }),
    });
    host.job('title', { on: 'article.published', since: 'ever', run: ({ article }) => article.title.trim() });
    host.provide('typed.count', () => host.didAction('article.live'));
    host.health(async () => ({ level: 'ok', text: (await host.deliveries({ limit: host.use('typed.count')() })).length.toFixed() }));
    host.cron('look', { at: '0 3 * * *', run: () => host.storage.get<string>('last') });
    host.routes((router) =>
      router.get('/titles', async (context) => {
        const status: number = context.status;
        context.body = { status, ids: [...host.articles.ids()], sent: context.request.body };
      }),
    );
  },
  pages(host) {
    host.markdown((md) => md.renderer.rules.hr?.name);
    host.shortcode('note', ({ text }) => \`<aside>\${text}</aside>\`);
    host.helper('loud', (text: string) => text.toUpperCase());
    host.data('lengths', {
      inputs: ({ html }) => html.length,
      compute: (articles) => articles.reduce((sum, { input }) => sum + input, 0),
      of: (article, sum) => sum.toFixed() + article.title,
    });
    host.templates(new URL('./templates/', 'file:///'));
  },
  activate: (host, { previous }) => host.storage.set('previous', previous ?? null),
});
`;

/** A test of a plugin; `pressmark/testing` is checked as the package itself is. */
const TEST = `import { createTestHost, createTestSite, fakeArticle, type TestSite } from 'pressmark/testing';
import plugin from './plugin.mjs';

const site: TestSite = await createTestSite({ plugins: [['./plugin.mts', { colour: 'blue' }]], config: { liveCheck: true } });
const { status, url }: { status: number; url: string } = await site.deliver({ title: 'Soil', further: 1 });
await site.until('it is live', () => site.log.some(({ msg }) => msg === 'article live'));
const page: string = await site.built(url, String(status));
const host = await createTestHost(plugin, { articles: [{ title: page }] });
export const message: string = await host.applyFilters('article.slug', 'soil', fakeArticle());
`;

/** Packages that the package installs: all but those for its own development. */
function installedWithIt(): string[] {
  const { packages }: { packages: Record<string, { dev?: boolean }> } = JSON.parse(read('package-lock.json'));
  return Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
    .map(([path]) => path)
    .filter((path) => fs.existsSync(join(ROOT, path)));
}

test('a plugin and its test in TypeScript are checked with the package alone, under strict and with all declarations', async (t) => {
  const dir = tempDir(t);
  for (const path of FILES) {
    const target = join(dir, 'node_modules/pressmark', path);
    fs.mkdirSync(dirname(target), { recursive: true });
    fs.copyFileSync(join(ROOT, path), target);
  }
  for (const path of installedWithIt()) {
    fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
    fs.symlinkSync(join(ROOT, path), join(dir, path));
  }
  fs.writeFileSync(join(dir, 'plugin.mts'), PLUGIN);
  // The check finds what is wrong: a name that the draft does not have.
  fs.writeFileSync(join(dir, 'test.mts'), TEST);
  fs.writeFileSync(join(dir, 'wrong-test.mts'), TEST.replace('{ title: page }', '{ titel: page }'));
  fs.writeFileSync(join(dir, 'wrong.mts'), PLUGIN.replace('draft.title.trim()', 'draft.titel.trim()'));
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2023',
    noEmit: true,
    skipLibCheck: false,
    // What is found is what is installed here, and not the packages beside it in the checkout.
    preserveSymlinks: true,
  };
  const begun = createPlugin(dir, { name: 'begun', isTyped: true });
  t.deepEqual(begun, ['plugins/begun.mts', 'tests/begun.test.mts', 'tsconfig.json']);
  const files = ['plugin.mts', 'wrong.mts', 'test.mts', 'wrong-test.mts', ...begun.slice(0, 2)];
  fs.writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['--project', dir]).catch(
    (failed: { stdout: string }) => failed,
  );
  const findings = stdout.split('\n').filter((line) => /^\S/.test(line));
  t.is(findings.length, 2, stdout);
  t.regex(findings.join('\n'), /\bwrong-test\.mts\b.*'titel' does not exist/m);
  t.regex(findings.join('\n'), /\/wrong\.mts\b.*'titel' does not exist/m);
});
