import fs from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { articles } from '../../src/astro.js';
import { tempDir } from '../support/temp-dir.js';

interface Entry {
  readonly id: string;
  readonly filePath?: string;
}

/** Astro's content store and logger, as far as the loader uses them. */
function astroIn(dir: string) {
  const entries = new Map<string, Entry>();
  const warnings: string[] = [];
  const context = {
    store: {
      get: (id: string) => entries.get(id),
      set: (entry: Entry) => entries.set(entry.id, entry),
      delete: (id: string) => entries.delete(id),
      keys: () => [...entries.keys()],
    },
    meta: { set: () => undefined },
    logger: { info: () => undefined, warn: (line: string) => warnings.push(line), error: () => undefined },
    config: { root: pathToFileURL(`${dir}/`) },
    parseData: async ({ data }: { data: object }) => data,
    generateDigest: (text: string) => text,
  };
  const glob = () => ({ load: async () => undefined });
  const load = () => articles(glob, { base: './blog', pattern: '**/*.md' }).load(context as never);
  return { entries, warnings, load };
}

test('two HTML files with one id: the loader names both and the one that is displayed, at each load', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'blog'));
  const write = (name: string) =>
    fs.writeFileSync(join(dir, 'blog', name), '---\nslug: soil\n---\n<p>Soil</p>\n');
  write('first.html');
  const { entries, warnings, load } = astroIn(dir);
  await load();
  t.deepEqual(warnings, []);

  write('second.html');
  const warning = 'blog/second.html and blog/first.html have the id soil; the page displays blog/second.html';
  await load();
  await load();
  t.deepEqual(warnings, [warning, warning]);
  t.is(entries.get('soil')?.filePath, 'blog/second.html');

  fs.rmSync(join(dir, 'blog/second.html'));
  await load();
  t.is(warnings.length, 2, 'the other one is alone again');
  t.is(entries.get('soil')?.filePath, 'blog/first.html');
});

test('an HTML file that opens front matter in each line and closes none is refused in a time that grows with its length', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'blog'));
  fs.writeFileSync(join(dir, 'blog/a.html'), `---\n${'\ufeff---\n'.repeat(80_000)}`);
  const { load } = astroIn(dir);
  const before = process.cpuUsage();
  await t.throwsAsync(load, { code: 'FRONT_MATTER_INVALID' });
  const { user, system } = process.cpuUsage(before);
  t.true((user + system) / 1_000 < 5_000, `${Math.round((user + system) / 1_000)} ms`);
});
