import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { nginxConfig, serve } from '../e2e/web-servers.js';
import { article } from '../support/events.js';
import { freePort } from '../support/free-port.js';
import { launch, PROGRAM } from '../support/receiver.js';
import { withTeardown } from '../support/teardown.js';
import { besideBuild } from './beside-build.js';
import { corpusArticle } from './corpus.js';
import { count, milliseconds, quantile, type Row, table } from './figures.js';
import type { Workspace } from './workspace.js';

/** Smaller sizes for a try: `PRESSMARK_BENCH_SIZES=100`. */
const SIZES = (process.env.PRESSMARK_BENCH_SIZES ?? '1000,10000').split(',').map(Number);

/** So many articles are published to each site, one after another. */
const PUBLISHED = 200;
const WARM_UP = 20;
const PAUSE_MS = 100;

/** From the 200 to the reader: Pressmark's own builder, a deploy folder, and nginx, which serves it. */
export async function live(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
  } catch {
    throw new Error('the benchmark live needs nginx (Debian package nginx)');
  }
  const rows: Row[] = [];
  for (const articles of SIZES) {
    const times = await liveTimes(workspace.fresh(`live-${articles}`), articles);
    rows.push({
      what: `from the 200 to article.live, ${count(articles)} articles`,
      ours: `median ${milliseconds(quantile(times, 0.5))}, p99 ${milliseconds(quantile(times, 0.99))}`,
      against: '',
    });
  }
  rows.push(await besideBuild(workspace));
  return { text: table(['the way to the reader', 'measured', 'against'], rows), rows };
}

function liveTimes(folder: string, articles: number): Promise<number[]> {
  return withTeardown(async (t) => {
    const dir = join(folder, 'site');
    const served = join(folder, 'srv');
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const env = { PRESSMARK_SITE_URL: origin };
    for (let n = 0; n < articles; n++) {
      const { path, file } = corpusArticle(n, articles, origin);
      fs.mkdirSync(dirname(join(dir, 'content', path)), { recursive: true });
      fs.writeFileSync(join(dir, 'content', path), file);
    }
    const config = { git: false, deploy: { folder: served }, liveCheck: true };
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(config));
    execFileSync(process.execPath, [PROGRAM, 'build', '--dir', dir], {
      stdio: 'ignore',
      env: { ...process.env, ...env },
    });
    const nginx = join(folder, 'nginx.conf');
    const server = `server { listen 127.0.0.1:${port}; root ${join(served, 'current')}; }`;
    fs.writeFileSync(nginx, nginxConfig(folder, server));
    await serve(t, 'nginx', ['-c', nginx, '-p', folder], origin);
    const receiver = await launch(dir, { env });
    t.teardown(() => receiver.stop());
    const lives = () => receiver.log.filter(({ msg }) => msg === 'article live');
    while (!fs.existsSync(join(served, 'current'))) await setTimeout(50);
    for (let n = 0; n < WARM_UP + PUBLISHED; n++) {
      const { status, text } = await receiver.post('article.published', article());
      if (status !== 200) throw new Error(text);
      while (lives().length <= n) await setTimeout(5);
      await setTimeout(PAUSE_MS);
    }
    return lives()
      .slice(WARM_UP)
      .map(({ ms }) => Number(ms));
  });
}
