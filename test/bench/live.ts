import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { article } from '../support/events.js';
import { freePort } from '../support/free-port.js';
import { launch, PROGRAM } from '../support/receiver.js';
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

async function liveTimes(folder: string, articles: number): Promise<number[]> {
  const dir = join(folder, 'site');
  const served = join(folder, 'srv');
  fs.chmodSync(folder, 0o755);
  const port = await freePort();
  const env = { PRESSMARK_SITE_URL: `http://127.0.0.1:${port}` };
  for (let n = 0; n < articles; n++) {
    const { path, file } = corpusArticle(n, articles, env.PRESSMARK_SITE_URL);
    fs.mkdirSync(dirname(join(dir, 'content', path)), { recursive: true });
    fs.writeFileSync(join(dir, 'content', path), file);
  }
  fs.writeFileSync(
    join(dir, 'pressmark.config.json'),
    JSON.stringify({ git: false, deploy: { folder: served }, liveCheck: true }),
  );
  execFileSync(process.execPath, [PROGRAM, 'build', '--dir', dir], {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
  const nginx = startNginx(folder, join(served, 'current'), port);
  const receiver = await launch(dir, { env });
  try {
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
  } finally {
    await receiver.stop();
    nginx.kill();
    await once(nginx, 'exit');
  }
}

function startNginx(folder: string, root: string, port: number) {
  const config = join(folder, 'nginx.conf');
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  fs.writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http { access_log off; ${temp.join(' ')} server { listen 127.0.0.1:${port}; root ${root}; } }
`,
  );
  return spawn('nginx', ['-c', config, '-e', join(folder, 'error.log')], { stdio: 'ignore' });
}
