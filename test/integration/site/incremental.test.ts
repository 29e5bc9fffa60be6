import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { builtAnew, type TestSite, testSite } from './test-site.js';

test('articles that stream in while the site is built come to be as a clean build makes them', async (t) => {
  const site = testSite(t, { pageSize: 3 });
  for (let n = 0; n < 15; n++) site.write(`a${n}`);
  const builds = [site.builder.build('all')];
  for (let n = 0; n < 15; n++) {
    await sleep(5);
    builds.push(site.builder.build([site.write(`b${n % 10}`, { title: `Title ${n}` })]));
  }
  const reports = await Promise.all(builds);
  t.true(reports.every(({ failed }) => failed === 0));
  t.deepEqual(site.output(), await builtAnew(site.options));
});

test.serial('an unchanged site writes nothing, and a start reads no unchanged article', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b', 'c']) site.write(slug);
  await site.builder.build('all');
  t.like(await site.builder.build('all'), { written: 0, removed: 0 });

  const again = testSite(t, { dir: site.dir });
  const read: string[] = [];
  beforeReads(t, site, (path) => read.push(path));
  t.like(await again.builder.build('all'), { written: 0, removed: 0, failed: 0 });
  t.deepEqual(read, []);
});

/** Calls a function before each article of a site is read, until the test ends. */
function beforeReads(t: ExecutionContext, { options }: TestSite, act: (path: string) => void): void {
  const { openSync } = fs;
  t.teardown(() => Object.assign(fs, { openSync }));
  fs.openSync = (path, flags, mode) => {
    if (String(path).startsWith(options.content.root)) act(String(path));
    return openSync(path, flags, mode);
  };
}
