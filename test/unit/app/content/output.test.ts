import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { contentOf } from '../../../../src/app/content/content.js';
import { loadSettings } from '../../../../src/config/load.js';
import { tempDir } from '../../../support/temp-dir.js';

interface Case {
  readonly generator: string;
  readonly content: string;
  readonly output: string;
  /** The source that the message names; undefined where the output is fine. */
  readonly held?: string;
}

const CASES: readonly Case[] = [
  { generator: 'hugo', content: 'content', output: 'content', held: 'content' },
  { generator: 'hugo', content: 'content', output: '.', held: 'content' },
  { generator: 'hugo', content: 'content/', output: './content', held: 'content/' },
  { generator: 'hugo', content: 'content', output: 'layouts', held: 'layouts' },
  { generator: 'hugo', content: 'content', output: 'link', held: 'content' },
  { generator: 'hugo', content: 'content', output: '.git', held: '.git' },
  { generator: 'eleventy', content: 'src/blog', output: 'src', held: 'src/blog' },
  { generator: 'hugo', content: 'content', output: 'public' },
  { generator: 'hugo', content: 'content', output: 'content-built' },
  { generator: 'eleventy', content: '.', output: '_site' },
  { generator: 'plain', content: 'content', output: 'content', held: 'content' },
  { generator: 'plain', content: 'content', output: '.', held: 'content' },
  { generator: 'plain', content: 'content', output: 'static', held: 'static' },
  { generator: 'plain', content: 'content', output: 'public' },
];

for (const { generator, content, output, held } of CASES)
  test(`${generator} with content ${content} ${held === undefined ? 'may' : 'may not'} build into ${output}`, async (t) => {
    const dir = tempDir(t);
    for (const path of [
      'content/a.md',
      'layouts/single.html',
      '.git/HEAD',
      'src/blog/a.md',
      'static/a.css',
      'hugo.toml',
    ]) {
      fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
      fs.writeFileSync(join(dir, path), '');
    }
    fs.symlinkSync('content', join(dir, 'link'));
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ generator, content, output }));
    const settings = await loadSettings(dir, {}, {});
    if (held === undefined) {
      t.notThrows(() => contentOf(settings));
      return;
    }
    const { message } = t.throws(() => contentOf(settings), { code: 'CONFIG_INVALID' });
    t.true(message.startsWith(`output "${output}" is or holds ${held}, a source of the site`), message);
  });
