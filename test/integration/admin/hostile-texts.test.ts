import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { adminOf, registeredPages } from '../../support/admin.js';
import { gitIn } from '../../support/clones.js';
import { article, envelope } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** What would be an element, an attribute or an address, wherever a text is not escaped. */
const HOSTILE = `"><x-hostile onmouseover="x"></title></textarea></script><x-hostile>' onfocus='x' {{x}} <%= x %> & javascript:x`;

const PLUGIN = `const text = ${JSON.stringify(HOSTILE)};
const property = (type) => ({ type, title: text, description: text, default: text });
const properties = { [text]: property('string'), a: { enum: [text], title: text }, b: property('object') };
const jsonSchema = { input: () => ({ type: 'object', properties }) };
const validate = () => ({ value: {} });
export default { name: 'hostile', options: { '~standard': { version: 1, vendor: text, validate, jsonSchema } }, receiver(host) {
  host.admin.page({ path: 'page', title: text, role: 'editor', render: () => '<p>Harmless.</p>' });
  host.admin.widget({ title: text, render: () => '<p>Harmless.</p>' });
  for (const on of ['article', 'overview', 'plugin'])
    host.admin.action({ name: 'on-' + on, label: text, on, role: 'editor', run: () => text });
  host.health(() => ({ level: 'fail', text, fix: text }));
  host.job('job', { on: 'article.published', run: () => { throw new Error(text); } });
} };`;

/** The addresses of pages about one thing; each helper of a page adds its own. @param id of the hostile article. */
const details = (id: string): string[] => [
  `account?x=${encodeURIComponent(HOSTILE)}`,
  'added/hostile/page',
  'plugins/settings?plugin=hostile',
  `articles?${new URLSearchParams({ text: HOSTILE.split(' ')[0] ?? '', tag: HOSTILE, author: HOSTILE })}`,
  ...['article', 'edit'].map((page) => `articles/${page}?${new URLSearchParams({ id })}`),
];

/** When the build of the journal ended. */
const BUILT = '2026-11-19T08:00:00.000Z';

/** A text that an update has replaced, whose article's name is markup. */
const REPLACED = 'replaced/content/<x-hostile>" onload="x/2026-11-19T08-00-00.123Z-0123456789abcdef.md';

/** Of a branch and of a plugin's file, in whose names a space cannot be. */
const HOSTILE_NAME = '"><x-hostile>';

/** A site in git whose remote refuses each push. */
function initGit(dir: string): void {
  const remote = join(dir, 'remote.git');
  gitIn(dir, 'init', '--quiet', '--bare', remote);
  const words = `#!/bin/sh\ncat >&2 <<'END'\n${HOSTILE}\nEND\nexit 1\n`;
  fs.writeFileSync(join(remote, 'hooks/pre-receive'), words, { mode: 0o755 });
  gitIn(dir, 'init', '--quiet', '--initial-branch', HOSTILE_NAME);
  gitIn(dir, 'remote', 'add', 'origin', remote);
}

/** Leaves a build, a deploy, a commit and a replaced text that are markup. */
function leaveRecords(stateDir: string): void {
  const entries = [
    {
      kind: 'build',
      at: BUILT,
      ms: 1,
      by: 'pressmark',
      outcome: 'failed',
      written: 0,
      removed: 0,
      output: HOSTILE,
    },
    { kind: 'deploy', at: BUILT, ms: 1, target: HOSTILE, error: HOSTILE, output: '' },
    { kind: 'deploy', at: BUILT, ms: 1, target: HOSTILE, error: null, output: HOSTILE },
  ];
  fs.mkdirSync(join(stateDir, REPLACED, '..'), { recursive: true });
  fs.writeFileSync(join(stateDir, REPLACED), HOSTILE);
  fs.writeFileSync(
    join(stateDir, 'journal.jsonl'),
    entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
  );
}

/** What in a page's markup a text has made that we have not. */
function foreignIn(html: string): string[] {
  const found: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) {
      if (node.tagName === 'x-hostile') found.push('an element');
      const source = node.attrs.find(({ name }) => name === 'src')?.value;
      if (node.tagName === 'script' && source?.startsWith('/-/admin/admin.js') !== true)
        found.push('a script');
      for (const { name, value } of node.attrs) {
        if (/^on|hostile|[^\w-]/.test(name)) found.push(`the attribute ${name}`);
        if (
          /^(?:href|src|action|formaction)$/.test(name) &&
          /^\s*(?:javascript|vbscript|data:text)/i.test(value)
        )
          found.push(`the address ${value}`);
      }
    }
    if ('content' in node) visit(node.content);
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html));
  return found;
}

test('titles, tags, authors, ids, deliveries, plugins’ files and words, a branch, a remote’s words, settings and a query that are markup stay texts on every page', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'plugins'));
  leaveRecords(join(dir, '.pressmark'));
  fs.writeFileSync(join(dir, `plugins/${HOSTILE_NAME}.mjs`), PLUGIN);
  initGit(dir);
  const config = { git: { push: { debounce: 50 } }, site: { title: HOSTILE, search: false } };
  const here = await startHere(t, { dir, config });
  const id = `hostile ${HOSTILE}`;
  const hostile = article({
    id,
    title: HOSTILE,
    author: HOSTILE,
    tags: [HOSTILE, 'soil'],
    meta_description: HOSTILE,
    focus_keyword: HOSTILE,
    featured_image_url: 'https://example.com/a.png?"><x-hostile>',
    content_html: `<p>${HOSTILE}</p>`,
    content_markdown: `# ${HOSTILE}\n\n${HOSTILE}`,
  });
  t.is((await here.post('article.published', hostile)).status, 200);
  await here.post('article.published', { ...hostile, id: '' });
  await here.raw(JSON.stringify(envelope(HOSTILE, {})), { 'X-Hostile': HOSTILE });
  const admin = await adminOf(here, { name: 'Ada', role: 'admin' });
  let keys: (string | undefined)[] = [];
  await until('the three deliveries are noted', async () => {
    const { text: deliveries } = await admin.get('deliveries');
    keys = [...deliveries.matchAll(/deliveries\/one\?key=([\w-]+)/g)].map(([, key]) => key);
    return keys.length >= 3;
  });
  t.is(keys.length, 3);
  const records = [
    ...keys.flatMap((key) => [`deliveries/one?key=${key}`, `deliveries/one?key=${key}&dry=1`]),
    `builds/one?${new URLSearchParams({ at: BUILT })}`,
    `git/replaced?${new URLSearchParams({ file: REPLACED })}`,
  ];
  for (const path of records) t.regex((await admin.get(path)).text, /x-hostile/, path);
  for (const file of ['journal.jsonl', '../pressmark.config.json', 'replaced/../journal.jsonl', ''])
    t.is((await admin.get(`git/replaced?${new URLSearchParams({ file })}`)).status, 404, file);
  const paths = [...registeredPages().map(({ path }) => path), ...details(id), ...records];
  for (const path of paths) {
    const shown = await admin.get(path);
    t.true(shown.status === 200 || shown.status === 404, `${path}: ${shown.status}`);
    t.deepEqual(foreignIn(shown.text), [], path);
  }
  for (const path of new Set(paths.map((one) => one.split('?', 1)[0]))) {
    const asked = await admin.get(
      `${path}?${new URLSearchParams({ q: HOSTILE, id: HOSTILE, page: HOSTILE })}`,
    );
    t.true(asked.status < 500, `${path}: ${asked.status}`);
    t.deepEqual(foreignIn(asked.text), [], `${path} with a hostile query`);
  }
  const about = new URLSearchParams({ id });
  const fields = { title: HOSTILE, tags: HOSTILE, author: HOSTILE, body: HOSTILE, description: HOSTILE };
  const conflict = await admin.post(`articles/edit?${about}`, { ...fields, do: 'save', base: HOSTILE });
  t.is(conflict.status, 409);
  t.deepEqual(foreignIn(conflict.text), [], 'two texts');
  const [, now = ''] = /name="base" value="([^"]+)"/.exec(conflict.text) ?? [];
  const saved = await admin.post(`articles/edit?${about}`, { ...fields, do: 'save', base: now });
  t.is(saved.status, 303);
  const named = await admin.post('users', { do: 'add', name: HOSTILE, email: HOSTILE, role: HOSTILE });
  t.is(named.status, 422);
  t.deepEqual(foreignIn(named.text), [], 'a user’s name');
  const later = ['git', 'users/log', 'setup', 'plugins', `articles/article?${about}`];
  await until('the remote has refused it', async () => /x-hostile.*on/.test((await admin.get('git')).text));
  await until('both versions are there', async () =>
    /articles\/compare/.test((await admin.get(`articles/article?${about}`)).text),
  );
  const versions = (await admin.get(`articles/article?${about}`)).text;
  const [, compare = ''] = /href="\/-\/admin\/(articles\/compare[^"]+)"/.exec(versions) ?? [];
  for (const path of [...later, compare.replaceAll('&amp;', '&')]) {
    const { text } = await admin.get(path);
    t.regex(text, /x-hostile/, path);
    t.deepEqual(foreignIn(text), [], path);
  }
  const preview = await admin.post(`articles/edit?${about}`, { ...fields, do: 'preview' });
  t.deepEqual(foreignIn(preview.text), [], 'a preview in its frame');
  const [, base = ''] =
    /name="base" value="([^"]+)"/.exec((await admin.get(`articles/article?${about}`)).text) ?? [];
  t.is((await admin.post(`articles/article?${about}`, { do: 'trash', base })).status, 303);
  t.deepEqual(foreignIn((await admin.get('articles/trash')).text), [], 'the trash');
  t.regex((await admin.get('')).text, /&lt;x-hostile|&#60;x-hostile/, 'the overview shows the title');
});
