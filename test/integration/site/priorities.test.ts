import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import { BuildStopped } from '../../../src/site/builder/build-queue.js';
import { type Builder, createBuilder } from '../../../src/site/builder/builder.js';
import { builtAnew, type TestSite, testSite } from './test-site.js';

/** A site whose pages take a while each, and the paths of those that were made. */
function slowSite(t: Parameters<typeof testSite>[0], onPage: (made: readonly string[]) => void) {
  const made: string[] = [];
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        async (html, { path }) => {
          made.push(path);
          onPage(made);
          await wait(12);
          return html;
        },
        { plugin: 'slow' },
      ),
  });
  for (let n = 0; n < 40; n++) site.write(`a${n}`);
  return { site, made };
}

// Serial: the other tests would use the event loop, too.
test.serial('while deliveries stream in, the build of their pages rests most of the time', async (t) => {
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        (html) => {
          for (const end = performance.now() + 10; performance.now() < end; );
          return html;
        },
        { plugin: 'busy' },
      ),
  });
  const { builder } = site;
  await builder.buildAll();
  const paths = Array.from({ length: 6 }, (_, n) => site.write(`a${n}`));
  builder.pace(true);
  const before = performance.eventLoopUtilization();
  await builder.buildChanged(paths);
  const { utilization } = performance.eventLoopUtilization(before);
  t.true(utilization < 0.4, `busy for ${utilization} of the time`);
  t.true(site.has('articles/a5/index.html'));
  await builder.close();
});

test('a change is built in the midst of a build of everything, which then goes on', async (t) => {
  let builder: Builder | undefined;
  let changed: Promise<unknown> | undefined;
  const { site, made } = slowSite(t, ({ length }) => {
    if (length === 3) changed = builder?.buildChanged([site.write('late')]);
  });
  builder = createBuilder(site.options);
  const all = builder.buildAll();
  await all;
  await changed;
  const at = made.indexOf('/articles/late/');
  t.true(at > 2 && at < made.indexOf('/archive/'), `page ${at}`);
  t.deepEqual(await builder.check(), []);
  await builder.close();
});

test('a builder that is closed ends a build of everything, builds the changes that wait, and the next one makes up for it', async (t) => {
  let builder: Builder | undefined;
  let closed: Promise<void> | undefined;
  let changed: Promise<unknown> | undefined;
  const { site, made } = slowSite(t, ({ length }) => {
    if (length !== 5) return;
    changed = builder?.buildChanged([site.write('late')]);
    closed = builder?.close();
  });
  builder = createBuilder(site.options);
  await t.throwsAsync(builder.buildAll(), { instanceOf: BuildStopped });
  await changed;
  await closed;
  t.true(site.has('articles/late/index.html'));
  t.true(made.length < 40, `${made.length} pages`);
  t.deepEqual(site.logged, []);

  const plain: TestSite = testSite(t, { dir: site.dir });
  const again = createBuilder({ ...plain.options, hooks: site.options.hooks });
  await again.buildAll();
  t.deepEqual(site.output(), await builtAnew(site.options));
  t.false(fs.readdirSync(join(site.dir, 'public')).some((name) => name.endsWith('.tmp')));
});

test('a check waits for the build of another process', async (t) => {
  let check: Promise<unknown> | undefined;
  const { site, made } = slowSite(t, ({ length }) => {
    if (length === 5) check = other.builder.check();
  });
  const other = testSite(t, { dir: site.dir });
  await site.builder.buildAll();
  t.true(made.length > 40);
  await site.builder.close();
  t.deepEqual(await check, []);
});
