import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { reply, startEndpoint } from '../../support/endpoint.js';
import { article } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { runHere } from '../../support/in-process.js';
import {
  bareEnvironment,
  NODE_OPTIONS_OF_TESTS,
  PROGRAM,
  SITE_URL,
  startReceiver,
} from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { soon, until } from '../../support/until.js';

const CONFIG = 'pressmark.config.json';
const QUIET = { site: false, git: false };
const ENV = { PRESSMARK_SECRET: SECRET, NODE_OPTIONS: NODE_OPTIONS_OF_TESTS };
const NO_URL = { PRESSMARK_SITE_URL: undefined };

function siteWith(t: Parameters<typeof tempDir>[0], config: object): string {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, CONFIG), JSON.stringify({ ...QUIET, ...config }));
  return dir;
}

test('in a folder that is not a site, commands say so and write nothing', async (t) => {
  const dir = tempDir(t);
  const commands = ['start --port 0', 'build', 'status', 'list', 'urls', 'log x', 'revert x y', 'forget x'];
  commands.push('move https://other.example', 'plugins', 'admin list', 'admin add ada', 'admin remove ada');
  for (const words of commands.map((command) => command.split(' '))) {
    const { code, stderr } = await runHere([...words, '--dir', dir]);
    t.is(code, 2);
    t.is(stderr.trimEnd().split('\n').length, 1, stderr);
    t.regex(stderr, /has no pressmark\.config\.mjs, and PRESSMARK_SITE_URL is not set; run pressmark init/);
  }
  t.deepEqual(fs.readdirSync(dir), []);
});

test('a preview gives articles the address of this machine, says that they keep it, and is refused at another one', async (t) => {
  const dir = siteWith(t, {});
  const receiver = await startReceiver(t, { dir, env: NO_URL, args: ['--preview'] });
  const { json } = await receiver.post('article.published', article({ slug: 'soil' }));
  t.is(json.url, `http://localhost:${receiver.port}/articles/soil/`);
  const said = receiver.log.map(({ msg }) => msg).join('\n');
  t.regex(said, /this is a preview: articles that arrive now keep the address http:\/\/localhost:\d+;/);
  const found = await runHere(['doctor', '--dir', dir], { PRESSMARK_SECRET: SECRET });
  t.is(found.code, 0, found.stdout);
  t.regex(found.stdout, /! site URL: not set; a preview is running, and articles that arrive now keep/);
  await receiver.stop();

  fs.writeFileSync(join(dir, CONFIG), JSON.stringify({ git: false, site: { search: false } }));
  const again = await runHere(['start', '--preview', '--dir', dir, '--port', '0'], {
    PRESSMARK_SECRET: SECRET,
    PRESSMARK_SITE_URL: undefined,
  });
  t.is(again.code, 2);
  t.regex(
    again.stderr,
    /1 article has a URL that is not at the site’s address .*; set siteUrl in the config/,
  );
  t.false(fs.existsSync(join(dir, 'public')), 'no page is made or taken away');
});

test('start writes no secret that git would not ignore', async (t) => {
  const dir = siteWith(t, { siteUrl: SITE_URL });
  fs.mkdirSync(join(dir, '.gitignore'));
  t.is((await runHere(['start', '--port', '0', '--dir', dir], { PRESSMARK_SECRET: undefined })).code, 1);
  t.deepEqual(fs.readdirSync(dir).sort(), ['.gitignore', CONFIG]);
});

test('start on the port of another program says so before it writes anything, and doctor calls it a failure', async (t) => {
  const { origin } = await startEndpoint(t, reply(200, { ok: true }));
  const { port } = new URL(origin);
  const dir = siteWith(t, { siteUrl: SITE_URL, site: {} });
  const env = { PRESSMARK_SECRET: SECRET, PRESSMARK_HOST: '127.0.0.1', PORT: port };
  const { code, stderr } = await runHere(['start', '--dir', dir], env);
  t.is(code, 1);
  t.regex(stderr, new RegExp(`port ${port} is in use`));
  t.deepEqual(fs.readdirSync(dir), [CONFIG]);
  t.regex((await runHere(['doctor', '--dir', dir], env)).stdout, /^✗ port: /m);
});

test('on a terminal start greets with the webhook, the site and how to stop, before any other line', async (t) => {
  const dir = siteWith(t, { siteUrl: `${SITE_URL}/blog` });
  const port = await freePort();
  const command = [process.execPath, PROGRAM, 'start', '--dir', dir, '--port', port].join(' ');
  const env = { ...bareEnvironment(), ...ENV, NO_COLOR: '1' };
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  t.teardown(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await until('it greets', () => printed.includes('Ctrl-C'));
  t.deepEqual(printed.split(/\r?\n/).slice(0, 3), [
    `Webhook  http://localhost:${port}/webhook`,
    `Site     http://localhost:${port}/blog/`,
    'Stop with Ctrl-C',
  ]);
  const ended = once(child, 'close');
  child.stdin.write('\u0003');
  await soon('it ends', ended);
});

/** A plugin whose receiver stops slowly, or never in a site with the file `hang`. */
const saying = (word: string) => `import { existsSync } from 'node:fs';
export default { name: 'said', receiver(host) {
  host.addAction('host.ready', () => host.log.info('${word}'));
  const hangs = () => existsSync(host.paths.site + '/hang');
  host.onClose(() => new Promise((resolve) => hangs() || setTimeout(resolve, 300)));
} };`;

test('start --watch runs a plugin anew after each change, waits where it is broken, and stops in good order, or at once where it is told twice', async (t) => {
  const dir = storeOnly(tempDir(t));
  const file = join(dir, 'plugins/said.mjs');
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(file, saying('the first word'));
  const config = join(tempDir(t), 'named.json');
  fs.renameSync(join(dir, CONFIG), config);
  const words = ['start', '--watch', '--dir', dir, '--config', config, '--port', '0'];
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: { ...bareEnvironment(), ...ENV, PRESSMARK_SITE_URL: SITE_URL },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // To all processes that the terminal runs, as Ctrl-C does.
  const send = (signal: string) =>
    execFileSync('sh', ['-c', `kill -s ${signal} -- -${child.pid} 2>/dev/null || true`]);
  t.teardown(() => send('KILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const says = (text: string) => until(`it says ${text}: ${output}`, () => output.includes(text));
  await says('the first word');
  fs.writeFileSync(file, 'export default {');
  await says('plugin "plugins/said.mjs" cannot be loaded');
  await says('the receiver ended with 1; it starts again after a change');
  fs.writeFileSync(file, saying('the second word'));
  await says('the second word');
  fs.appendFileSync(config, '\n');
  await says('named.json has changed: the receiver starts again');
  await until('it says the second word again', () => output.split('the second word').length > 2);
  fs.writeFileSync(join(dir, 'hang'), '');
  const ended = once(child, 'close');
  const told = performance.now();
  send('INT');
  await until(
    'its last receiver stops',
    () => output.lastIndexOf('"msg":"stopping"') > output.lastIndexOf('the second word'),
  );
  send('INT');
  const isSlow = performance.now() - told > 4_000; // the receiver may have waited for the plugin long enough
  await soon('it ends', ended);
  t.is(child.exitCode, 0, output);
  t.true(isSlow || !output.includes('has not closed'), output);
  // A slow machine may see one change as two.
  t.true((output.match(/"msg":"stopped"/g)?.length ?? 0) >= 2, output);
});
