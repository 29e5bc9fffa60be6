import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { articleFiles, fileOf } from '../../support/content.js';
import { type Answering, reply, startEndpoint } from '../../support/endpoint.js';
import { runHere } from '../../support/in-process.js';
import { type Ended, STORE_ONLY, startProgram } from '../../support/receiver.js';
import { sharedHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

/** Each test publishes articles with slugs of its own there. */
const receiver = sharedHere(test, STORE_ONLY);
const atReceiver = () => `${receiver().origin}/webhook`;

/** The files of the receiver's articles that have a text. */
const storedWith = (text: string) =>
  articleFiles(receiver.dir).filter((file) => fs.readFileSync(file, 'utf8').includes(text));

/** Runs one of the sender's commands in this process. */
const here = (...words: string[]): Promise<Ended> => runHere(words, { PRESSMARK_SECRET: SECRET });

/** A folder of posts that is connected to a receiver, and the sender's commands in it. */
async function connected(t: ExecutionContext, url: string) {
  const dir = tempDir(t);
  const sender = (...words: string[]) => here(...words, '--dir', dir);
  const write = (name: string, text: string) => {
    const path = join(dir, 'posts', name);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
    return path;
  };
  const ended = await sender('connect', 'garden', url, '--application', 'The Garden');
  t.is(ended.code, 0, ended.stderr);
  return { dir, posts: join(dir, 'posts'), sender, write, ended };
}

test('an agency connects, publishes, publishes again, refreshes and lists its deliveries', async (t) => {
  const { dir, posts, sender, write, ended } = await connected(t, atReceiver());
  t.regex(ended.stdout, /garden is connected: a Version 3 receiver at .*\nIt takes articles and refreshes\./);
  const bees = write('bees.md', '---\ntitle: Bees\n---\nText.\n');
  write('moss.md', '---\ntitle: Moss\n---\nText.\n');
  write('README.md', 'no front matter');

  for (const missing of ['nothing', 'bees.md/nothing']) {
    const refused = await sender('publish', join(posts, missing));
    t.deepEqual([refused.code, /there is no .*nothing; name/.test(refused.stderr)], [2, true], missing);
  }
  const first = await sender('publish', posts);
  t.deepEqual([first.code, first.stderr], [0, '']);
  t.regex(first.stdout, /✓ posts\/bees\.md → https:\/\/garden\.example\/articles\/bees\/\n/);
  t.regex(first.stdout, /3 files: 2 delivered, 1 left out\n$/);
  t.notRegex(first.stdout, /\u001b/, 'no colours on a pipe');
  for (const title of ['Bees', 'Moss']) t.is(storedWith(`\ntitle: "${title}"\n`).length, 1);

  fs.appendFileSync(bees, 'And more.\n');
  const again = await sender('publish', posts, '--json');
  const files = JSON.parse(again.stdout) as { file: string; status: string; changed?: boolean }[];
  t.deepEqual(
    files.map(({ file, status, changed }) => [file, status, changed]),
    [
      ['posts/README.md', 'left out', undefined],
      ['posts/bees.md', 'delivered', true],
      ['posts/moss.md', 'delivered', false],
    ],
  );

  const refreshed = await sender('refresh', 'https://garden.example/articles/bees/', bees);
  t.is(refreshed.stdout, '✓ posts/bees.md → https://garden.example/articles/bees/\n');
  const list = JSON.parse((await sender('deliveries', '--json')).stdout) as Record<string, unknown>[];
  t.deepEqual(
    list.map(({ event, status, attempts, title }) => [event, status, attempts, title]),
    [
      ['article.published', 'success', 1, 'Bees'],
      ['article.published', 'success', 1, 'Moss'],
      ['article.updated', 'success', 1, 'Bees'],
    ],
  );
  t.true(list.every((row) => !('payload' in row)));
  t.regex(fs.readFileSync(fileOf(receiver.dir, String(list[0]?.article)), 'utf8'), /And more\./);
  const table = await sender('deliveries');
  t.regex(table.stdout, /^ {2}id +status +attempts +code +next +connector +source +link or error\n/);
  t.true(fs.existsSync(join(dir, '.pressmark-sender/connectors/garden.json')));
});

test('a failed delivery is shown with its reason, escaped, and the signature of its own receiver, and sent again when a person says so', async (t) => {
  let failing = true;
  const endpoint = await startEndpoint(t, (got, response) => {
    if (got.body.includes('webhook.test') || !failing) return reply(200, 'taken\u001b[31m')(got, response);
    return reply(500, 'bad \u001b[31mday\u0007\nnext')(got, response);
  });
  const { dir, sender, write, ended } = await connected(t, endpoint.url);
  t.regex(ended.stdout, /Version 1 receiver.*\nIt takes articles; a Version 2 receiver is required/);
  const published = await sender('publish', write('bees.md', '---\n---\nText.\n'));
  t.is(published.code, 1);
  t.regex(
    published.stdout,
    /attempt 1 of 6 failed, the next is due at .*: HTTP 500: bad \\u001b\[31mday\\u0007⏎next\n/,
  );
  t.regex(published.stdout, /1 file: 1 waiting\n.*pressmark work/);

  const attempts = endpoint.got.length;
  t.is((await sender('work', '--once')).code, 0);
  t.is(endpoint.got.length, attempts, 'it is not due yet');
  const [file = ''] = fs.readdirSync(join(dir, '.pressmark-sender/deliveries'));
  const path = join(dir, '.pressmark-sender/deliveries', file);
  const id = file.replace('.json', '');
  const shown = await sender('deliveries', 'show', id);
  t.regex(shown.stdout, /\nPOST http:.*\n/);
  t.regex(shown.stdout, /\n {2}"event": "article\.published",\n/);
  t.regex(shown.stdout, /\nLast answer: HTTP 500: bad /);
  const elsewhere = await startEndpoint(t, reply(200));
  t.is((await sender('connect', 'garden', elsewhere.url, '--secret', 'of-another-receiver')).code, 0);
  const { headers } = JSON.parse((await sender('deliveries', 'show', id, '--json')).stdout);
  t.is(headers['X-Service-Signature'], endpoint.got.at(-1)?.headers['x-service-signature']);
  const refused = await sender('deliveries', 'retry', id);
  t.deepEqual([refused.code, refused.stderr], [2, `pressmark: ${id} has not failed, it is pending\n`]);

  fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('"attempts":1', '"attempts":5'));
  t.is((await sender('work', '--once', '--clock', '2m')).code, 1);
  t.is(endpoint.got.length, attempts + 1, 'by then it is due');
  const listed = await sender('deliveries', '--status', 'failed');
  t.regex(listed.stdout, new RegExp(`${id} +failed +6 +500 +–`));

  failing = false;
  const retried = await sender('deliveries', 'retry', 'all');
  t.is(retried.code, 0);
  t.regex(retried.stdout, /^… posts\/bees\.md due at .*\n1 to be sent again/);
  t.is((await sender('work', '--once')).code, 0);
  const taken = await sender('deliveries', 'show', id);
  t.regex(taken.stdout, /\nLast answer: HTTP 200\n"?taken\\u001b\[31m/);
});

test('on Ctrl-C publish ends what is under way, and the same command goes on', async (t) => {
  const hanging: (() => void)[] = [];
  const endpoint = await startEndpoint(t, (got, response) => {
    const answer = () => void reply(200)(got, response);
    if (got.body.includes('webhook.test') || endpoint.got.length > 9) return answer();
    hanging.push(answer);
    if (hanging.length === 8) running.child.kill('SIGINT'); // as many as are sent at a time
  });
  const { dir, posts, sender, write } = await connected(t, endpoint.url);
  for (let n = 0; n < 12; n++) write(`${n}.md`, '---\n---\nText.\n');
  const running = startProgram(['publish', posts, '--dir', dir], {}, ({ stderr }) => {
    if (stderr.includes('finishing')) for (const answer of hanging.splice(0)) answer();
  });
  const { code, stdout } = await running.ended();
  t.is(code, 1);
  t.regex(stdout, /12 files: 8 delivered, 4 waiting\nStopped. Run the same command again to send the rest\./);
  const rest = await sender('publish', posts);
  t.regex(rest.stdout, /12 files: 12 delivered\n/);
  t.is(endpoint.got.length, 1 + 12);
});

test('the secret may come over standard input; it is shown nowhere', async (t) => {
  const endpoint = await startEndpoint(t, reply(200));
  const dir = tempDir(t);
  const { child, ended } = startProgram([
    ...['connect', 'garden', endpoint.url, '--secret', '-', '--json', '--dir', dir],
  ]);
  child.stdin.end('a-secret-from-a-pipe\n');
  const { stdout } = await ended();
  t.like(JSON.parse(stdout), { name: 'garden', url: endpoint.url, version: 1, refresh: false });
  t.notRegex(stdout, /a-secret/);
  const path = join(dir, '.pressmark-sender/connectors/garden.json');
  t.is(JSON.parse(fs.readFileSync(path, 'utf8')).secret, 'a-secret-from-a-pipe');
  t.is(fs.statSync(path).mode & 0o777, 0o600);
  t.notRegex((await runHere(['connect', '--json', '--dir', dir])).stdout, /secret-from|key/);
});

test('a connector that is connected anew keeps what is not given; a broken file is refused, and stays', async (t) => {
  const endpoint = await startEndpoint(t, reply(200));
  const { dir, sender, write } = await connected(t, endpoint.url);
  const tracking = 'https://stats.example/v';
  await sender('connect', 'garden', endpoint.url, '--author', 'Marta Oak', '--tracking', tracking);
  const post = write('bees.md', '---\n---\nText.\n');
  await sender('publish', post);
  const path = join(dir, '.pressmark-sender/connectors/garden.json');
  const stored = () => JSON.parse(fs.readFileSync(path, 'utf8')) as Record<string, unknown>;
  const before = stored();
  await sender('connect', 'garden', endpoint.url, '--secret', 'another');
  t.deepEqual(stored(), { ...before, secret: 'another' });
  const broken = JSON.stringify({ ...before, secret: 5 });
  fs.writeFileSync(path, broken);
  const refused = await sender('connect', 'garden', endpoint.url);
  t.is(refused.code, 2);
  t.regex(refused.stderr, /garden\.json: secret .*; fix it\. If it is removed/);
  t.is(fs.readFileSync(path, 'utf8'), broken);
  fs.writeFileSync(path, JSON.stringify(before));
  t.regex((await sender('publish', post)).stdout, /^1 file: 1 delivered\n$/, 'the post has not changed');
  await sender('connect', 'garden', endpoint.url, '--no-tracking', '--author', '');
  t.deepEqual(stored(), { ...before, tracking: null, author: '' });
});

test('a folder that is named by way of a symbolic link holds the same articles', async (t) => {
  const endpoint = await startEndpoint(t, reply(200));
  const { dir, posts, sender, write } = await connected(t, endpoint.url);
  write('bees.md', '---\n---\nText.\n');
  const link = join(tempDir(t), 'link');
  fs.symlinkSync(dir, link);
  await sender('publish', posts);
  const sent = endpoint.got.length;
  t.regex((await sender('publish', join(link, 'posts'))).stdout, /^1 file: 1 delivered\n$/);
  const linked = await here('publish', join(link, 'posts', 'bees.md'), '--dir', link);
  t.regex(linked.stdout, /^1 file: 1 delivered\n$/);
  t.is(endpoint.got.length, sent);
});

test('a file that gets its first text back after a refresh has changed, also after one that may have landed', async (t) => {
  let answer: Answering | undefined;
  const proxy = await startEndpoint(t, async (got, response) => {
    const headers = Object.entries(got.headers).filter(([name]) => /^x-|^content-type$/.test(name)) as [
      string,
      string,
    ][];
    const answered = await fetch(atReceiver(), { method: 'POST', headers, body: got.body });
    const isUpdate = got.body.includes('"event":"article.updated"');
    await ((isUpdate && answer) || reply(answered.status, await answered.text()))(got, response);
  });
  const { posts, sender, write } = await connected(t, proxy.url);
  const writeComb = (text: string) => write('comb.md', `---\ntitle: The comb\n---\n${text}\n`);
  const stored = () => fs.readFileSync(storedWith('The comb')[0] ?? '', 'utf8');
  for (const [n, text] of ['First.', 'Second.', 'First.'].entries()) {
    writeComb(text);
    t.is((await sender(...(n === 0 ? ['publish'] : ['refresh', '--changed']), posts)).code, 0);
    t.regex(stored(), new RegExp(text));
  }
  t.regex((await sender('refresh', '--changed', posts)).stdout, /^1 file: 1 unchanged\n$/);

  answer = reply(502); // of a proxy before a receiver that has stored it
  writeComb('Third.');
  for (let n = 0; n < 2; n++) {
    const [row] = JSON.parse((await sender('refresh', '--changed', posts, '--json')).stdout);
    t.not(row.status, 'unchanged', 'nobody knows whether the one before has landed');
    await sender('deliveries', 'cancel', row.delivery);
  }
  t.regex(stored(), /Third/);
  answer = undefined;
  writeComb('First.');
  await sender('refresh', '--changed', posts, '--force');
  t.regex(stored(), /First/);
});

test('publish --dry-run says what publish would do with each file, and sends and queues nothing', async (t) => {
  const endpoint = await startEndpoint(t, (got, response) =>
    reply(got.body.includes('Refuse me') ? 422 : 200)(got, response),
  );
  const { posts, sender, write } = await connected(t, endpoint.url);
  write('sent.md', '---\ntitle: Sent\n---\nText.\n');
  write('ants.md', '---\n---\nRefuse me.\n');
  write('bees.md', '---\nid: bees\n---\nRefuse me.\n');
  await sender('publish', posts);
  const got = endpoint.got.length;
  write('sent.md', '---\ntitle: Sent\n---\nOther text.\n');
  write('ants.md', '---\n---\nCorrected.\n');
  write('other.md', '---\nid: bees\n---\nOther text.\n');
  write('new.md', '---\ntitle: New\n---\n![a](../a.png)\n');
  write('new-copy.md', '---\ntitle: New\n---\n![a](../a.png)\n');
  write('draft.md', '---\ndraft: true\n---\nText.\n');
  write('drafts/idea.md', '---\ntitle: Idea\n---\nText.\n');
  const plan = await sender('publish', posts, '--dry-run', '--json');
  const rows = JSON.parse(plan.stdout) as { file: string; status: string; why: string | null }[];
  t.deepEqual(Object.fromEntries(rows.map(({ file, status }) => [file, status])), {
    'posts/ants.md': 'to be sent',
    'posts/bees.md': 'sent before',
    'posts/draft.md': 'left out',
    'posts/drafts': 'left out',
    'posts/new-copy.md': 'to be sent',
    'posts/new.md': 'refused',
    'posts/other.md': 'refused',
    'posts/sent.md': 'changed since',
  });
  const { code, stdout } = await sender('publish', posts, '--dry-run');
  t.is(code, 1);
  for (const words of [
    /to be sent +posts\/new-copy\.md: New, as new-copy\n +! it has a relative link or picture/,
    /left out +posts\/draft\.md: it is a draft\n/,
    /left out +posts\/drafts: it is a folder of drafts\n/,
    /refused +posts\/new\.md: its title and its text are those of posts\/new-copy\.md; if it is/,
    /refused +posts\/other\.md: posts\/bees\.md has the same id, bees\n/,
    /\n8 files: .*\. Nothing was sent\.\n$/,
  ])
    t.regex(stdout, words);
  t.is(endpoint.got.length, got);
  t.is(JSON.parse((await sender('deliveries', '--json')).stdout).length, 3);
});

test('refresh --changed replaces the articles whose files have changed, one that a person has edited by force alone, and a renamed file is not published again', async (t) => {
  const { posts, sender, write } = await connected(t, atReceiver());
  const names = ['ants', 'bugs', 'cats', 'dogs'];
  for (const name of names) write(`${name}.md`, `---\ntitle: The ${name}\n---\nText of the ${name}.\n`);
  await sender('publish', posts);
  const stored = (name: string) => storedWith(`The ${name}`);

  for (const name of ['ants', 'bugs']) fs.appendFileSync(join(posts, `${name}.md`), 'And more.\n');
  const [byHand = ''] = stored('bugs');
  fs.appendFileSync(byHand, '\nA person wrote this.\n');
  fs.renameSync(join(posts, 'dogs.md'), join(posts, 'hounds.md'));
  const refreshed = await sender('refresh', '--changed', posts);
  t.is(refreshed.code, 1);
  t.regex(
    refreshed.stdout,
    /✓ posts\/ants\.md → .*\n✗ posts\/bugs\.md: the refresh stops: the article is not what was delivered last from here: its text was ".*" and is ".*A person wrote this.*nothing was changed; --force replaces the article all the same/,
  );
  t.regex(refreshed.stdout, /4 files: 1 refreshed, 1 failed, 2 unchanged\n/);
  t.regex(fs.readFileSync(byHand, 'utf8'), /A person wrote this/);
  t.is((await sender('refresh', '--changed', join(posts, 'bugs.md'), '--force')).code, 0);
  t.notRegex(fs.readFileSync(byHand, 'utf8'), /A person wrote this/);
  t.regex(fs.readFileSync(stored('ants')[0] ?? '', 'utf8'), /And more\./);

  fs.appendFileSync(join(posts, 'hounds.md'), 'Renamed and changed.\n');
  const unclear = await sender('publish', posts);
  const [, id = ''] =
    /✗ .*hounds\.md: its title is that of posts\/dogs\.md, which is gone; if it is the same article, write id: (md-\w+) /.exec(
      unclear.stdout,
    ) ?? [];
  const renamed = fs.readFileSync(join(posts, 'hounds.md'), 'utf8');
  fs.writeFileSync(join(posts, 'hounds.md'), renamed.replace('---\n', `---\nid: ${id}\n`));
  const told = await sender('refresh', '--changed', join(posts, 'hounds.md'));
  t.is(told.code, 0, told.stdout);
  t.regex(fs.readFileSync(stored('dogs')[0] ?? '', 'utf8'), /Renamed and changed\./);
  for (const name of names) t.is(stored(name).length, 1, name);
});

test('an old blog: its articles go out oldest first, their links lead to the old site, and redirects lead from it', async (t) => {
  const { dir, posts, sender, write } = await connected(t, atReceiver());
  write('2019-03-04-wind.md', '---\ntitle: Wind\naliases: [/w]\n---\n[Rain](../rain.html).\n');
  write('a-new.md', '---\ntitle: New\ndate: 2024-01-02\npermalink: /news/new.html\n---\n![New](new.png)\n');
  write('b-old.md', '---\ntitle: Old\ndate: 2001-01-02\n---\nText.\n');
  const moved = ['--redirects', join(dir, 'moved')];
  const without = await sender('publish', posts, ...moved);
  t.is(without.code, 2);
  t.regex(without.stderr, /--redirects needs to know where the articles were; add --base-url/);
  const { code, stdout } = await sender(
    ...['publish', posts, '--base-url', 'https://old.example/:year/:month/:slug/', ...moved],
  );
  t.is(code, 0, stdout);

  const list = JSON.parse((await sender('deliveries', '--json')).stdout) as Record<string, string>[];
  t.deepEqual(
    list.map(({ title }) => title),
    ['Old', 'Wind', 'New'],
  );
  const wind = fs.readFileSync(fileOf(receiver.dir, list[1]?.article ?? ''), 'utf8');
  t.regex(wind, /\[Rain\]\(https:\/\/old\.example\/2019\/03\/rain\.html\)/);
  const read = (name: string) => fs.readFileSync(join(dir, 'moved', name), 'utf8');
  const at = (slug: string) => `https://garden.example/articles/${slug}/`;
  t.is(
    read('urls.csv'),
    `file,old,new
"posts/b-old.md","https://old.example/2001/01/b-old/","${at('b-old')}"
"posts/2019-03-04-wind.md","https://old.example/2019/03/wind/","${at('wind')}"
"posts/2019-03-04-wind.md","https://old.example/w","${at('wind')}"
"posts/a-new.md","https://old.example/news/new.html","${at('new')}"
`,
  );
  t.is(read('_redirects').split('\n')[3], `/news/new.html ${at('new')} 301`);
  t.is(read('nginx.conf').split('\n')[0], `location = "/2001/01/b-old/" { return 301 "${at('b-old')}"; }`);

  const again = await sender('refresh', '--changed', posts);
  t.regex(again.stdout, /^3 files: 3 unchanged\n$/, 'the address is kept with the connector');
  write('next.md', '---\ntitle: Next\n---\nText.\n');
  const plan = await sender('publish', posts, '--dry-run');
  t.true(plan.stdout.includes(`posts/next.md: Next, as next, probably at ${at('next')}\n`), plan.stdout);
});

test('what cannot work is refused, and the message says what to do; nothing is stored', async (t) => {
  const wrong = await startEndpoint(t, reply(401, { error: 'no' }));
  const dir = tempDir(t);
  const secret = ['--secret', 'x'];
  for (const [args, code, words] of [
    [['connect', 'garden', wrong.url], 2, /there is no secret to sign with/],
    [['connect', 'Garden!', wrong.url, ...secret], 2, /cannot be the name of a connector/],
    [['connect', 'garden', 'https://me:too@r.example', ...secret], 2, /without credentials/],
    [['connect', 'garden', wrong.url, ...secret], 1, /does not accept the signature; .*: HTTP 401/],
  ] as const) {
    const ended = await runHere([...args, '--dir', dir]);
    t.deepEqual([ended.code, ended.stdout], [code, ''], args.join(' '));
    t.regex(ended.stderr, words);
  }
  t.deepEqual(fs.readdirSync(dir), []);

  const endpoint = await startEndpoint(t, reply(200));
  const { sender, write } = await connected(t, endpoint.url);
  const post = write('bees.md', '---\n---\nText.\n');
  await sender('connect', 'orchard', endpoint.url);
  const old = ['--connector', 'garden', '--base-url', 'https://old.example/:slug/'];
  const nowhere = join(dir, 'none/moved');
  for (const [args, words] of [
    [['publish', post, ...old, '--redirects', nowhere], /the folder ".*none\/moved" cannot be made: ENOENT/],
    [['publish', post], /say which connector with --connector; there are garden, orchard/],
    [['publish', post, '--connector', 'gardn'], /no connector "gardn"; did you mean garden\?/],
    [['deliveries', 'retry', '../connectors/garden'], /there is no delivery "\.\.\/connectors\/garden"/],
  ] as const) {
    const ended = await sender(...args);
    t.deepEqual([ended.code, ended.stdout], [2, ''], args.join(' '));
    t.regex(ended.stderr, words);
  }
});

test('what cannot be an article is refused with its reason, in the report too; the others are published', async (t) => {
  const endpoint = await startEndpoint(t, reply(200));
  const { dir, sender, posts, write } = await connected(t, endpoint.url);
  write('a "good" one.md', '---\n---\nText.\n');
  write('bad.md', '---\ntags: [\n---\nText.\n');
  write('large.md', `---\n---\n${'x'.repeat(600_000)}\n`);
  write('page.mdx', '---\n---\nText.\n');
  const report = join(dir, 'report.csv');
  const early = await sender('publish', posts, '--report', join(dir, 'missing', 'report.csv'));
  t.deepEqual([early.code, early.stdout], [2, ''], 'nothing is sent');
  t.regex(early.stderr, /the folder of ".*report\.csv" is not there; make it first/);
  const { code, stdout } = await sender('publish', posts, '--report', report);
  t.is(code, 1);
  t.regex(stdout, /posts\/page\.mdx is left out: it is MDX/);
  t.regex(stdout, /✗ .*bad\.md: line 3: /);
  t.regex(stdout, /✗ .*large\.md: the article takes \d+ bytes as a request; receivers take 1000000/);
  t.regex(stdout, /4 files: 1 delivered, 2 refused, 1 left out\n/);
  const rows = fs.readFileSync(report, 'utf8').split('\r\n');
  t.is(rows[0], 'file,status,url,error');
  t.true(rows.includes('"posts/a ""good"" one.md","delivered","",""'));
});

test('a receiver that wants to be left alone is named in the list; what a person sends ends the pause', async (t) => {
  const endpoint = await startEndpoint(t, (got, response) => {
    const isTaken = got.body.includes('webhook.test');
    return (isTaken ? reply(200) : reply(429, 'slowly', { 'retry-after': '3600' }))(got, response);
  });
  const { sender, write } = await connected(t, endpoint.url);
  await sender('publish', write('bees.md', '---\n---\nText.\n'));
  const paused = /\nnothing is sent to http:.* until .*: HTTP 429, Retry-After: 3600\n$/;
  t.regex((await sender('deliveries')).stdout, paused);
  const [{ id }] = JSON.parse((await sender('deliveries', '--json')).stdout) as [{ id: string }];
  t.is((await sender('deliveries', 'send', id)).code, 0);
  t.notRegex((await sender('deliveries')).stdout, paused);
});
