import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { createBuilder } from '../../../src/site/build.js';
import { filesIn, SITE_URL, type TestSite, testSite } from './test-site.js';

const BUILDER = fileURLToPath(new URL('builder-to-kill.js', import.meta.url));
const ROUNDS = Number(process.env.PRESSMARK_TEST_RUNS ?? 5);

/** Starts a builder in a process of its own, and waits for its first build where that is wanted. */
async function start(t: ExecutionContext, site: TestSite, waits = true): Promise<ChildProcess> {
  const child = fork(BUILDER, [site.dir, SITE_URL]);
  t.teardown(() => child.kill('SIGKILL'));
  if (waits) await once(child, 'message');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** What a builder that knows nothing makes of the same articles. */
async function clean(site: TestSite): Promise<Record<string, string>> {
  const folder = fs.mkdtempSync(join(site.dir, 'clean-'));
  const outputDir = join(folder, 'public');
  const builder = createBuilder({ ...site.options, pageSize: 2, outputDir, stateDir: join(folder, 'state') });
  await builder.buildAll();
  await builder.close();
  return filesIn(outputDir);
}

/** Files of the output that are Pressmark's business. */
function output(site: TestSite): Record<string, string> {
  return Object.fromEntries(
    Object.entries(site.output()).filter(([file]) => !file.startsWith('.pressmark-')),
  );
}

test('wherever a build is killed, the next start completes the work and leaves no orphan', async (t) => {
  const site = testSite(t);
  const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T08:00:00Z`;
  for (let n = 1; n <= 12; n++) site.write(`a${n}`, { date: day(n), tags: [`t${n % 3}`] });
  let took = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const child = await start(t, site);
    const paths = [3, 7, 12, 20 + round].map((n) =>
      site.write(`a${n}`, {
        date: day((n + round) % 28 || 1),
        title: `Round ${round}`,
        tags: [`t${(n + round) % 4}`],
      }),
    );
    fs.rmSync(join(site.options.content.root, `articles/a${19 + round}.md`), { force: true });
    const begin = performance.now();
    child.send([...paths, `articles/a${19 + round}.md`]);
    // The first round shows how long a build takes; the others are killed in the midst of it, each a little later.
    if (round === 0) await once(child, 'message');
    else await wait((took * round) / ROUNDS);
    took ||= performance.now() - begin;
    await kill(child);
    // What it was about to build is another thing by the time that somebody starts again.
    if (round % 2 === 1)
      fs.rmSync(join(site.options.content.root, `articles/a${20 + round}.md`), { force: true });

    await kill(await start(t, site));
    t.deepEqual(output(site), await clean(site), `round ${round}`);
  }
});

test('two processes on one folder take turns, and what one has built the other does not build again', async (t) => {
  const site = testSite(t);
  for (let n = 1; n <= 6; n++) site.write(`a${n}`);
  const [one, two] = await Promise.all([start(t, site), start(t, site)]);
  for (let round = 0; round < 4; round++) {
    const paths = [site.write(`b${round}`), site.write('a1', { title: `Round ${round}` })];
    const built = Promise.all([once(one, 'message'), once(two, 'message')]);
    one.send(paths);
    two.send([...paths].reverse());
    await built;
    t.deepEqual(output(site), await clean(site), `round ${round}`);
  }
  const written = fs.statSync(join(site.options.outputDir, 'articles/a1/index.html')).ino;
  two.send(['articles/a1.md']);
  await once(two, 'message');
  t.is(fs.statSync(join(site.options.outputDir, 'articles/a1/index.html')).ino, written);
});
