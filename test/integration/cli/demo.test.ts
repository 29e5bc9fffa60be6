import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import test from 'ava';
import { freePort } from '../../support/free-port.js';
import { runHere } from '../../support/in-process.js';
import { bareEnvironment, PROGRAM } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

// Serial: the first one changes the folder for temporary files of this process.

test.serial(
  'demo --exit shows the whole life of an article, from its publication to a refused update, and removes its site',
  async (t) => {
    const folder = tempDir(t);
    const { code, stdout, stderr } = await runHere(['demo', '--exit'], { TMPDIR: folder });
    t.deepEqual([code, stderr], [0, '']);
    const statuses = [...stdout.matchAll(/^(\d{3}) {2}/gm)].map(([, status]) => status);
    t.deepEqual(statuses, ['200', '200', '200', '200', '200', '200', '200', '409']);
    t.is([...stdout.matchAll(/commit {2}[0-9a-f]{10} {2}Publish: /g)].length, 3);
    t.regex(stdout, /commit {2}[0-9a-f]{10} {2}Update: What a pressmark is, and what it is not/);
    t.regex(stdout, /page {4}public\/articles\/what-a-pressmark-is\/index\.html/);
    t.deepEqual(fs.readdirSync(folder), []);
  },
);

test.serial(
  'the demo serves what the pictures of the README show: title, tagline, and articles with pictures',
  async (t) => {
    const port = await freePort();
    const env = { ...bareEnvironment(), TMPDIR: tempDir(t) };
    const demo = spawn(process.execPath, [PROGRAM, 'demo', '--port', String(port)], { env });
    t.teardown(async () => {
      demo.kill('SIGKILL');
      await once(demo, 'close');
    });
    let said = '';
    demo.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await until('the demo serves its site', () => said.includes('The site is served at'));

    const origin = `http://localhost:${port}`;
    const page = async (path: string) => (await fetch(`${origin}${path}`)).text();
    const home = await page('/');
    t.regex(home, /<title>The Reading Room<\/title>/);
    t.true(home.includes('Notes on books, shelves and machines that know their place.'));
    t.true(home.includes('href="/about/"'));
    const shown = [...home.matchAll(/<img[^>]* src="([^"]+)"/g)].map(
      ([, src = '']) => new URL(src, origin).pathname,
    );
    t.deepEqual(shown, ['/pictures/pens.svg', '/pictures/dial.svg', '/pictures/shelves.svg']);
    for (const path of shown) {
      // The pages of articles come first.
      await until(`${path} is served`, async () => (await fetch(`${origin}${path}`)).ok);
      const { status, headers } = await fetch(`${origin}${path}`);
      t.deepEqual([status, headers.get('content-type')], [200, 'image/svg+xml']);
    }
    const article = await page('/articles/what-a-pressmark-is/');
    t.regex(article, /<img[^>]*\/pictures\/shelves\.svg/);
    t.true(article.includes('href="/authors/ada-finch/"') && article.includes('href="/tags/libraries/"'));
  },
);
