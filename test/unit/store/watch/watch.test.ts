import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { patternLayout } from '../../../../src/generators/layout.js';
import { contentFolder } from '../../../../src/store/catalog/entry.js';
import { watchContent } from '../../../../src/store/watch/watch.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

test('files and folders that come, change, move and go are all asked about', async (t) => {
  const root = tempDir(t);
  fs.mkdirSync(join(root, 'old'));
  fs.writeFileSync(join(root, 'old', 'a.md'), 'a');
  const content = contentFolder(root, patternLayout('https://garden.example', ':slug.md', '/:slug/'));
  const seen = new Set<string>();
  const look = (paths: Iterable<string>) => {
    for (const path of paths) seen.add(path);
  };
  const log = pino({ level: 'silent' });
  const watcher = watchContent({ content, size: 1, look, lookAtFolder: async () => undefined, log });
  t.teardown(() => watcher.close());
  await watcher.ready;
  const asked = async (path: string) => {
    await until(`${path} is asked about`, () => seen.has(path));
    t.true(seen.delete(path));
    seen.clear();
  };

  fs.writeFileSync(join(root, 'old', 'a.md'), 'changed');
  await asked('old/a.md');
  fs.mkdirSync(join(root, 'new', 'deep'), { recursive: true });
  fs.writeFileSync(join(root, 'new', 'deep', 'b.md'), 'b');
  await asked('new/deep/b.md');
  fs.renameSync(join(root, 'old'), join(root, '.gone'));
  await asked('old/a.md');
  fs.renameSync(join(root, '.gone'), join(root, 'back'));
  await asked('back/a.md');
  fs.writeFileSync(join(root, 'back', 'c.md'), 'c');
  await asked('back/c.md');
  fs.rmSync(join(root, 'new'), { recursive: true });
  await asked('new/deep/b.md');
});

test('where files cannot be looked at, that is reported once and tried again later each time', async (t) => {
  const root = tempDir(t);
  const content = contentFolder(root, patternLayout('https://garden.example', ':slug.md', '/:slug/'));
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const times: number[] = [];
  let isShort = true;
  const look = () => {
    times.push(performance.now());
    if (isShort) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  };
  const watcher = watchContent({ content, size: 0, look, lookAtFolder: async () => undefined, log });
  t.teardown(() => watcher.close());
  await watcher.ready;
  fs.writeFileSync(join(root, 'a.md'), 'a');
  await until('it was tried again and again', () => times.length >= 5);
  isShort = false;
  t.true((times[4] ?? 0) - (times[3] ?? 0) > 300, 'the eightfold time');
  await until('it works again', () => lines.length >= 2);
  t.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      [40, 'changed files could not be looked at; it is tried again'],
      [30, 'changed files can be looked at again'],
    ],
  );
});

test('a folder of many files is compared with the catalog again and again', async (t) => {
  const content = contentFolder(tempDir(t), patternLayout('https://garden.example', ':slug.md', '/:slug/'));
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  let scans = 0;
  const lookAtFolder = async () => {
    if (++scans <= 2) throw new Error('too many open files');
  };
  const look = () => t.fail();
  const watcher = watchContent({ content, size: 20_001, look, lookAtFolder, log, scanEveryMs: 5 });
  t.teardown(() => watcher.close());
  await until('it was compared four times', () => scans >= 4);
  t.deepEqual(lines, [
    'changed files could not be looked at; it is tried again',
    'changed files can be looked at again',
  ]);
});
