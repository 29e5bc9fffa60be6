import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { manifestPath, openManifest } from '../../../../src/site/write/manifest.js';
import { stageFile } from '../../../../src/site/write/staged-file.js';
import { openWriter } from '../../../../src/site/write/writer.js';
import { tempDir } from '../../../support/temp-dir.js';

const bytes = (text: string) => Buffer.from(text);

function openedWriter(t: ExecutionContext) {
  const stateDir = tempDir(t);
  const root = join(stateDir, 'public');
  const stagingDir = join(stateDir, 'build');
  const manifest = openManifest(manifestPath({ stateDir }), root);
  return { manifest, ...openWriter(root, stagingDir, manifest, pino({ enabled: false })) };
}

test('nothing is left of a staged page whose place somebody else’s file or folder has', (t) => {
  const { root, stagingDir, put, putStaged } = openedWriter(t);
  put('a.html', 'ours');
  put('a.html.gz', bytes('compressed'), 1);
  fs.writeFileSync(join(root, 'a.html'), 'theirs');
  t.deepEqual(putStaged('a.html', stageFile(stagingDir, bytes('new'))), ['a.html.gz']);
  t.is(fs.readFileSync(join(root, 'a.html'), 'utf8'), 'theirs');

  fs.mkdirSync(join(root, 'b.html'));
  t.throws(() => put('b.html', 'new'), { code: 'EISDIR' });
  t.deepEqual(fs.readdirSync(stagingDir), []);
});

// Serial: all tests of a process share node:fs.
test.serial(
  'an output folder on another file system gets its pages, and the compressed variants keep their source',
  (t) => {
    const { root, stagingDir, manifest, put } = openedWriter(t);
    const rename = fs.renameSync;
    t.teardown(() => Reflect.set(fs, 'renameSync', rename));
    Reflect.set(fs, 'renameSync', (from: string, to: string) => {
      if (from.startsWith(stagingDir))
        throw Object.assign(new Error('another file system'), { code: 'EXDEV' });
      rename(from, to);
    });
    t.deepEqual(put('a/index.html', 'page'), ['a/index.html']);
    put('a/index.html.gz', bytes('compressed'), 7);
    t.is(fs.readFileSync(join(root, 'a/index.html'), 'utf8'), 'page');
    t.is(manifest.files.get('a/index.html.gz')?.source, 7);
    t.is(manifest.files.get('a/index.html')?.mtimeMs, fs.statSync(join(root, 'a/index.html')).mtimeMs);
    t.deepEqual(fs.readdirSync(stagingDir), []);
    t.deepEqual(fs.readdirSync(root), ['a']);
  },
);
