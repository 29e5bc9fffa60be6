import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { createPlugin } from '../../src/app/plugins/new-plugin.js';
import { tempDir } from '../support/temp-dir.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => fs.readFileSync(join(ROOT, path), 'utf8');

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

/** What a plugin may get wrong, by the names of files, in place of what is right; each is one error. */
const WRONG: Readonly<Record<string, readonly [right: string, wrong: string, said: RegExp]>> = {
  value: ['draft.title.trim()', 'draft.titel.trim()', /'titel' does not exist/],
  hook: [
    "'article.draft', (draft) => ({ ...draft, title: draft.title.trim() })",
    "'article.slugg', () => ''",
    /'"article\.slugg"' is not assignable/,
  ],
  'other-face': [
    "'article.draft', (draft) => ({ ...draft, title: draft.title.trim() })",
    "'page.head', () => ''",
    /'"page\.head"' is not assignable/,
  ],
  face: [
    'pages(host) {',
    'page(host: object) {\n    void host;\n  },\n  pages(host) {',
    /'page' does not exist/,
  ],
};

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
  const folder = join(dir, 'node_modules/pressmark');
  fs.mkdirSync(folder, { recursive: true });
  // Made by ava.e2e.config.js.
  const { PRESSMARK_TEST_PACKAGE: archive = '' } = process.env;
  execFileSync('tar', ['-xzf', archive, '--strip-components=1'], { cwd: folder });
  const packed = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const path of ['README.md', 'docs/deploy.md', 'examples/reading-room/static/pictures/dial.svg'])
    t.true(packed.includes(path), path);
  t.false(packed.some((path) => /(?:^|\/)(?:test\/|\.env|images\/)/.test(path)));
  for (const path of installedWithIt()) {
    fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
    fs.symlinkSync(join(ROOT, path), join(dir, path));
  }
  fs.writeFileSync(join(dir, 'plugin.mts'), PLUGIN);
  fs.writeFileSync(join(dir, 'test.mts'), TEST);
  fs.writeFileSync(join(dir, 'wrong-test.mts'), TEST.replace('{ title: page }', '{ titel: page }'));
  for (const [name, [right, wrong]] of Object.entries(WRONG))
    fs.writeFileSync(join(dir, `wrong-${name}.mts`), PLUGIN.replace(right, wrong));
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
  const wrongFiles = Object.keys(WRONG).map((name) => `wrong-${name}.mts`);
  const files = ['plugin.mts', ...wrongFiles, 'test.mts', 'wrong-test.mts', ...begun.slice(0, 2)];
  fs.writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['--project', dir]).catch(
    (failed: { stdout: string }) => failed,
  );
  const findings = stdout.split('\n').filter((line) => /^\S/.test(line));
  const said: [string, RegExp][] = [
    ['test', /'titel' does not exist/],
    ...Object.entries(WRONG).map(([name, [, , words]]): [string, RegExp] => [name, words]),
  ];
  t.is(findings.length, said.length, stdout);
  for (const [name, words] of said) {
    const found = findings.filter((line) => line.includes(`wrong-${name}.mts`));
    t.is(found.length, 1, stdout);
    t.regex(found.join(), words, stdout);
  }
});
