import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { checkOut, ROOT, type SiteSource, type WorkingCopy } from '../e2e/generators/working-copy.js';
import { nginxConfig, serve } from '../e2e/web-servers.js';
import { article, type PublishedData } from '../support/events.js';
import { freePort } from '../support/free-port.js';
import { createRandom, type Random } from '../support/random.js';
import type { Receiver } from '../support/receiver.js';
import { withTeardown } from '../support/teardown.js';
import { expectEqual, expectNone, expectTrue } from './expect.js';
import type { Attack, Counts, Scenario } from './scenario.js';

const ARTICLES = 50;
const BURSTS = 5;
const KILLS = 10;
/** The receiver is killed within this time after a burst has begun, or after a start. */
const LONGEST_MOMENT_MS = 2_500;
const MOST_BUILDS = 8;
/** All articles are live within this time after the last burst. */
const LONGEST_WAY_MS = 180_000;
/** The packages of Eleventy; those of Astro are installed with them. */
const TOOLS = join(ROOT, 'test/e2e/tools/node_modules');
/** The title that the owner's layout cannot print. */
const FORBIDDEN = 'The one that breaks the layout';

/** A real generator, and how its layout fails at one title. */
interface GeneratorSite extends SiteSource {
  readonly layout: string;
  /** What fails at one title, and the text of the layout behind which it is put. */
  readonly trap: string;
  readonly behind: string;
}

const SITES: readonly GeneratorSite[] = [
  {
    folder: 'hugo',
    build: 'npm run build',
    output: 'public',
    layout: 'themes/plot/layouts/_default/single.html',
    behind: '{{ define "main" -}}',
    trap: `{{ if eq .Title "${FORBIDDEN}" }}{{ errorf "no room for %s" .Title }}{{ end }}`,
  },
  {
    folder: 'jekyll',
    build: 'jekyll build --quiet',
    output: '_site',
    layout: '_layouts/post.html',
    behind: '\n---\n',
    trap: `{% if page.title == "${FORBIDDEN}" %}{% include there-is-none.html %}{% endif %}`,
  },
  {
    folder: 'eleventy',
    tools: '.',
    build: 'npm run build',
    output: '_site',
    layout: '_includes/layouts/post.njk',
    behind: '\n---\n',
    trap: `{% if title == "${FORBIDDEN}" %}{% include "there-is-none.njk" %}{% endif %}`,
  },
  {
    folder: 'astro',
    tools: 'astro-5',
    build: 'npm run build',
    output: 'dist',
    layout: 'src/layouts/Post.astro',
    behind: '\n---\n',
    trap: `{title === '${FORBIDDEN}' && thereIsNone.title}`,
  },
];

export const live: Scenario = {
  name: 'live',
  promise: `With each generator, ${ARTICLES} articles in bursts and ${KILLS} kills: all are live from the deploy folder after at most ${MOST_BUILDS} builds that have ended, but for the one that breaks the owner's layout, which is named.`,
  weight: 3,
  missing: () =>
    ['nginx', 'hugo', 'jekyll'].find((program) => !isThere(program)) ??
    (fs.existsSync(TOOLS) ? undefined : 'the packages that npm run test:e2e installs'),
  async run(attack) {
    const sum = { sites: 0, kills: 0, builds: 0, mostBuilds: 0, commandRuns: 0 };
    const first = attack.random.integer(0, SITES.length);
    for (const site of [...SITES.slice(first), ...SITES.slice(0, first)]) {
      if (sum.sites > 0 && performance.now() > attack.deadline) break;
      const { builds, runs } = await attackSite(site, attack);
      sum.sites++;
      sum.kills += KILLS;
      sum.builds += builds;
      sum.mostBuilds = Math.max(sum.mostBuilds, builds);
      sum.commandRuns += runs;
    }
    return sum satisfies Counts;
  },
};

function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // the shell's exit code says that there is none
  }
}

/** @returns how many builds have ended well, and how often the build command was run. */
function attackSite(site: GeneratorSite, attack: Attack): Promise<{ builds: number; runs: number }> {
  return withTeardown(async (t) => {
    const random = createRandom(`live ${site.folder}`, attack.seed);
    const copy = checkOut(site);
    t.teardown(copy.remove);
    copy.install();
    const init = await copy.pressmark('init', '--yes');
    expectEqual(init.code, 0, `pressmark init should succeed for ${site.folder}: ${init.stderr}`);
    setTrap(copy, site);
    const home = dirname(copy.dir);
    const released = join(home, 'www');
    const runs = join(home, 'runs');
    fs.mkdirSync(released);
    writeConfig(copy, { deploy: released, runs });
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const http = `server { listen 127.0.0.1:${port}; location /notes/ { alias ${released}/current/; } location = / { return 200; } }`;
    const nginx = join(home, 'nginx.conf');
    fs.writeFileSync(nginx, nginxConfig(home, http));
    await serve(t, 'nginx', ['-c', nginx, '-p', home], origin);

    const logs: Receiver['log'][] = [];
    const start = async () => {
      const receiver = await copy.start();
      t.teardown(() => receiver.kill('SIGKILL'));
      logs.push(receiver.log);
      return receiver;
    };
    const urls = await deliverUnderKills(start, random, attack);

    const logged = (beginning: string) => logs.flat().filter(({ msg }) => msg.startsWith(beginning));
    const statusOf = async (url: string) => (await fetch(`${origin}${new URL(url).pathname}`)).status;
    const missing = async () => {
      const statuses = await Promise.all([...urls].map(async ([id, url]) => [id, await statusOf(url)]));
      return statuses.filter(([id, status]) => (id === 'guilty' ? status !== 404 : status !== 200));
    };
    const end = performance.now() + LONGEST_WAY_MS;
    while (performance.now() < end && (await missing()).length > 0) await setTimeout(200);
    expectNone(await missing(), `${site.folder}: each article but the guilty one should be live`);
    const named = logged('an article breaks the build').map(({ path }) => String(path));
    expectTrue(
      named.length > 0 && named.every((path) => path.includes('guilty')),
      `${site.folder}: the log should name the guilty article alone; it names ${JSON.stringify(named)}`,
    );
    const status = await copy.pressmark('status', '--json');
    expectTrue(
      status.stdout.includes('guilty'),
      `${site.folder}: pressmark status should name the guilty article: ${status.stdout}${status.stderr}`,
    );
    const builds = logged('site built').length;
    const ran = fs.readFileSync(runs, 'utf8').length;
    attack.note(`${site.folder}: ${builds} builds, the command was run ${ran} times`);
    expectTrue(
      builds <= MOST_BUILDS,
      `${site.folder}: at most ${MOST_BUILDS} builds should have ended; there were ${builds}`,
    );
    return { builds, runs: ran };
  });
}

/** Publishes all articles in bursts, and kills the receiver at random moments. @returns the answered URLs, by id. */
async function deliverUnderKills(
  start: () => Promise<Receiver>,
  random: Random,
  { note }: Attack,
): Promise<ReadonlyMap<string, string>> {
  const guilty = random.integer(0, ARTICLES);
  const waiting = Array.from({ length: ARTICLES }, (_, n): PublishedData => {
    const id = n === guilty ? 'guilty' : `burst-${n}`;
    const title = n === guilty ? FORBIDDEN : `Article ${n}`;
    return article({ id, slug: id, title });
  });
  const urls = new Map<string, string>();
  let receiver = await start();
  for (let burst = 0; burst < BURSTS; burst++) {
    const some = waiting.splice(0, ARTICLES / BURSTS);
    for (let kills = 0; kills < KILLS / BURSTS; kills++) {
      const moment = random.next() * LONGEST_MOMENT_MS;
      const killing = setTimeout(moment).then(() => receiver.kill('SIGKILL'));
      for (const data of some) if (!(await isDelivered(receiver, data, urls))) break;
      await killing;
      note(`killed after ${Math.round(moment)} ms; ${urls.size} articles are answered`);
      receiver = await start();
    }
    for (const data of some)
      expectTrue(await isDelivered(receiver, data, urls), `${data.id} should be accepted`);
  }
  return urls;
}

/** @returns false where the receiver was killed before its answer. */
async function isDelivered(
  receiver: Receiver,
  data: PublishedData,
  urls: Map<string, string>,
): Promise<boolean> {
  try {
    const { status, json, text } = await receiver.post('article.published', data);
    expectTrue(status === 200, `${data.id} should be accepted: ${status} ${text}`);
    const before = urls.get(data.id);
    expectTrue(before === undefined || before === json.url, `${data.id} should keep its URL ${before}`);
    urls.set(data.id, json.url);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false; // fetch throws a TypeError when the connection breaks
    throw error;
  }
}

/** Adds to the owner's layout what fails at one title. */
function setTrap(copy: WorkingCopy, { folder, layout, behind, trap }: GeneratorSite): void {
  const text = copy.read(layout);
  expectTrue(text.includes(behind), `${folder}: ${layout} is not as this scenario expects it`);
  fs.writeFileSync(
    copy.path(layout),
    text.replace(behind, () => `${behind}${trap}\n`),
  );
}

/** Adds a deploy to the config that `init` has written; each run of the build command leaves a byte. */
function writeConfig(copy: WorkingCopy, { deploy, runs }: { deploy: string; runs: string }): void {
  const text = copy.read('pressmark.config.mjs');
  const changed = text
    .replace(/^ {2}build: '(.*)'/m, (_, command: string) => `  build: 'printf x >> ${runs}; ${command}'`)
    .replace(/^ {2}build:/m, `  deploy: { folder: '${deploy}' },\n$&`);
  expectTrue(
    changed.includes(runs) && changed.includes('deploy:'),
    `the config is not as expected:\n${text}`,
  );
  fs.writeFileSync(copy.path('pressmark.config.mjs'), changed);
}
