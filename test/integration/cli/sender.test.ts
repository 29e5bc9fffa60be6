import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { articleFiles, fileOf } from '../../support/content.js';
import { reply, startEndpoint } from '../../support/endpoint.js';
import { runHere } from '../../support/in-process.js';
import { bareEnvironment, type Ended, PROGRAM, STORE_ONLY } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

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
  const receiver = await startHere(t, STORE_ONLY);
  const { dir, posts, sender, write, ended } = await connected(t, `${receiver.origin}/webhook`);
  t.is(ended.stderr, '');
  t.regex(ended.stdout, /garden is connected: a Version 3 receiver at .*\nIt takes articles and refreshes\./);
  const bees = write('bees.md', '---\ntitle: Bees\n---\nText.\n');
  write('wind.md', '---\ntitle: Wind\n---\nText.\n');
  write('later.md', '---\ntitle: Later\ndate: 9999-01-01\n---\nText.\n');
  write('README.md', 'no front matter');

  const first = await sender('publish', posts);
  t.is(first.code, 0, first.stderr);
  t.regex(first.stdout, /✓ posts\/bees\.md → https:\/\/garden\.example\/articles\/bees\/\n/);
  t.regex(first.stdout, /4 files: 2 delivered, 2 left out\n$/);
  t.notRegex(first.stdout, /\u001b/, 'no colours on a pipe');
  t.is(first.stderr, '', 'no progress on a pipe');
  t.is(articleFiles(receiver.dir).length, 2);

  fs.appendFileSync(bees, 'And more.\n');
  const again = await sender('publish', posts, '--json');
  t.is(again.code, 0);
  const files = JSON.parse(again.stdout) as { file: string; status: string; changed?: boolean }[];
  t.deepEqual(
    files.map(({ file, status, changed }) => [file, status, changed]),
    [
      ['posts/README.md', 'left out', undefined],
      ['posts/later.md', 'left out', undefined],
      ['posts/bees.md', 'delivered', true],
      ['posts/wind.md', 'delivered', false],
    ],
  );

  const refreshed = await sender('refresh', 'https://garden.example/articles/bees/', bees);
  t.deepEqual(
    [refreshed.code, refreshed.stdout],
    [0, '✓ posts/bees.md → https://garden.example/articles/bees/\n'],
  );
  const after = await sender('publish', posts);
  t.regex(
    after.stdout,
    /^ {2}posts\/README\.md is left out: it has no front matter\n {2}posts\/later\.md is left out: its date is still to come: 9999-01-01\n4 files: 2 delivered, 2 left out\n$/,
    'the refresh has brought the change',
  );
  const list = JSON.parse((await sender('deliveries', '--json')).stdout) as Record<string, unknown>[];
  t.deepEqual(
    list.map(({ event, status, attempts, title }) => [event, status, attempts, title]),
    [
      ['article.published', 'success', 1, 'Bees'],
      ['article.published', 'success', 1, 'Wind'],
      ['article.updated', 'success', 1, 'Bees'],
    ],
  );
  t.true(list.every((row) => !('payload' in row)));
  const article = String(list[0]?.article);
  t.regex(fs.readFileSync(fileOf(receiver.dir, article), 'utf8'), /And more\./);
  const table = await sender('deliveries');
  t.regex(table.stdout, /^ {2}id +status +attempts +code +next +connector +source +link or error\n/);
  t.is(table.stdout.trim().split('\n').length, 4);
  t.true(fs.existsSync(join(dir, '.pressmark-sender/connectors/garden.json')));
});

test('a failed delivery is shown with its reason, escaped, and sent again when a person says so', async (t) => {
  let failing = true;
  const endpoint = await startEndpoint(t, (got, response) => {
    const { event } = JSON.parse(got.body.toString()) as { event: string };
    if (event === 'webhook.test' || !failing) return reply(200, 'taken\u001b[31m')(got, response);
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
  const work = await sender('work', '--once');
  t.deepEqual([work.code, endpoint.got.length], [0, attempts], 'it is not due yet');
  const [file = ''] = fs.readdirSync(join(dir, '.pressmark-sender/deliveries'));
  const path = join(dir, '.pressmark-sender/deliveries', file);
  const id = file.replace('.json', '');
  const shown = await sender('deliveries', 'show', id);
  t.regex(shown.stdout, /\nPOST http:.*\n/);
  t.regex(shown.stdout, /\nX-Service-Signature: sha256=[0-9a-f]{64}\n/);
  t.regex(shown.stdout, /\n {2}"event": "article\.published",\n/);
  t.regex(shown.stdout, /\nLast answer: HTTP 500: bad /);
  const refused = await sender('deliveries', 'retry', id);
  t.deepEqual([refused.code, refused.stderr], [2, `pressmark: ${id} has not failed, it is pending\n`]);

  const overdue = fs.readFileSync(path, 'utf8').replace(/"nextRetryAt":"\d{4}/, '"nextRetryAt":"2020');
  fs.writeFileSync(path, overdue.replace('"attempts":1', '"attempts":5'));
  t.is((await sender('work', '--once')).code, 1);
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

test('a text that the receiver may have stored is never taken for the one that it is sent next', async (t) => {
  const stored = new Map<string, string>();
  const endpoint = await startEndpoint(t, (got, response) => {
    const { event, data } = JSON.parse(got.body.toString()) as {
      event: string;
      data: Record<string, string>;
    };
    if (event === 'webhook.test') return reply(200)(got, response);
    const redelivered = stored.has(String(data.id));
    if (!redelivered) stored.set(String(data.id), String(data.content_markdown));
    return reply(redelivered ? 200 : 504)(got, response); // the article is stored, the answer is lost
  });
  const { dir, sender, write } = await connected(t, endpoint.url);
  const post = write('bees.md', '---\n---\nFirst text.\n');
  await sender('publish', post);
  const [file = ''] = fs.readdirSync(join(dir, '.pressmark-sender/deliveries'));
  const path = join(dir, '.pressmark-sender/deliveries', file);
  const failed = fs
    .readFileSync(path, 'utf8')
    .replace('"status":"pending"', '"status":"failed"')
    .replace(/"nextRetryAt":"[^"]*"/, '"nextRetryAt":null');
  fs.writeFileSync(path, failed);

  write('bees.md', '---\n---\nSecond text.\n');
  const again = await sender('publish', post);
  t.is(again.code, 1, 'the second text is nowhere');
  t.regex(again.stdout, /A file has changed since its delivery failed\..* pressmark refresh <url> <file>/);
  await sender('deliveries', 'retry', 'all');
  const delivered = await sender('publish', post);
  t.regex(delivered.stdout, /1 file: 1 delivered\n1 file has changed since it was delivered/);
  t.deepEqual([...stored.values()].length, 1);
  t.regex([...stored.values()].join(), /^First text\./);
});

test('on Ctrl-C publish ends what is under way, and the same command goes on', async (t) => {
  const hanging: (() => void)[] = [];
  const endpoint = await startEndpoint(t, (got, response) => {
    const { event } = JSON.parse(got.body.toString()) as { event: string };
    const answer = () => void reply(200)(got, response);
    if (event === 'webhook.test' || hanging.length >= 8) return answer();
    return void hanging.push(answer);
  });
  const { dir, posts, sender, write } = await connected(t, endpoint.url);
  for (let n = 0; n < 12; n++) write(`${n}.md`, '---\n---\nText.\n');
  const child = spawn(process.execPath, [PROGRAM, 'publish', posts, '--dir', dir], {
    env: bareEnvironment(),
  });
  t.teardown(() => child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await until('publish sends eight at a time', () => hanging.length === 8);
  child.kill('SIGINT');
  await until('publish says that it is finishing', () => stderr.includes('finishing'));
  for (const answer of hanging) answer();
  await once(child, 'close');
  t.is(child.exitCode, 1);
  t.regex(stdout, /12 files: 8 delivered, 4 waiting\nStopped. Run the same command again to send the rest\./);
  const rest = await sender('publish', posts);
  t.is(rest.code, 0);
  t.regex(rest.stdout, /12 files: 12 delivered\n/);
  t.is(endpoint.got.length, 1 + 12);
});

test('deliveries lists and shows why an article could not be refreshed', async (t) => {
  const endpoint = await startEndpoint(t, reply(200, { received: true, url: 'https://g.example/bees/' }));
  const { sender, write } = await connected(t, endpoint.url);
  const bees = write('bees.md', '---\n---\nText.\n');
  await sender('publish', bees);
  const refused = await sender('refresh', 'https://g.example/bees', bees);
  t.is(refused.code, 1);
  const [row] = JSON.parse((await sender('deliveries', '--json')).stdout);
  t.regex(row.refused.why, /^the refresh stops: a Version 2 receiver is required/);
  for (const words of [[], ['show', row.id]])
    t.regex(
      (await sender('deliveries', ...words)).stdout,
      /not refreshed at 20\S+Z: the refresh stops: a Version 2 receiver is required: /,
    );
});

test('deliveries show has the signature that is sent, also where the connector points elsewhere by now', async (t) => {
  const endpoint = await startEndpoint(t, (got, response) =>
    reply(got.body.includes('webhook.test') ? 200 : 500)(got, response),
  );
  const { sender, write } = await connected(t, endpoint.url);
  await sender('publish', write('bees.md', '---\n---\nText.\n'));
  const elsewhere = await startEndpoint(t, reply(200));
  t.is((await sender('connect', 'garden', elsewhere.url, '--secret', 'of-another-receiver')).code, 0);
  const [{ id }] = JSON.parse((await sender('deliveries', '--json')).stdout);
  const { headers } = JSON.parse((await sender('deliveries', 'show', id, '--json')).stdout);
  t.is(headers['X-Service-Signature'], endpoint.got.at(-1)?.headers['x-service-signature']);
});

test('connect offers a Version 2 receiver the current version', async (t) => {
  const capabilities = ['article.published', 'article.lookup', 'article.updated'];
  const endpoint = await startEndpoint(t, reply(200, { received: true, contract_version: 2, capabilities }));
  const { ended } = await connected(t, endpoint.url);
  t.regex(ended.stdout, /a Version 2 receiver .*\nIt takes articles and refreshes\.\nVersion 3 is current: /);
});

test('the secret may come over standard input; it is shown nowhere', async (t) => {
  const endpoint = await startEndpoint(t, reply(200));
  const dir = tempDir(t);
  const child = spawn(
    process.execPath,
    [PROGRAM, 'connect', 'garden', endpoint.url, '--secret', '-', '--json', '--dir', dir],
    { env: bareEnvironment() },
  );
  child.stdin.end('a-secret-from-a-pipe\n');
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  await once(child, 'close');
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

test('publish --dry-run says what would be done with each file, and sends and queues nothing', async (t) => {
  const endpoint = await startEndpoint(t, reply(200));
  const { posts, sender, write } = await connected(t, endpoint.url);
  write('sent.md', '---\ntitle: Sent\n---\nText.\n');
  await sender('publish', posts);
  const got = endpoint.got.length;
  write('sent.md', '---\ntitle: Sent\n---\nOther text.\n');
  write('new.md', '---\ntitle: New\n---\n![a](../a.png)\n');
  write('draft.md', '---\ndraft: true\n---\nText.\n');
  write('drafts/idea.md', '---\ntitle: Idea\n---\nText.\n');
  write('bad.md', '---\ntags: [\n---\nText.\n');
  const { code, stdout } = await sender('publish', posts, '--dry-run');
  t.is(code, 1);
  t.regex(stdout, /changed since +posts\/sent\.md: /);
  t.regex(stdout, /to be sent +posts\/new\.md: New, as new\n +! it has a relative link or picture/);
  t.regex(stdout, /left out +posts\/draft\.md: it is a draft\n/);
  t.regex(stdout, /left out +posts\/drafts: it is a folder of drafts\n/);
  t.regex(stdout, /refused +posts\/bad\.md: /);
  t.regex(stdout, /5 files: 1 to be sent, 1 changed since, 1 refused, 2 left out\. Nothing was sent\.\n$/);
  t.is(endpoint.got.length, got);
  t.is(JSON.parse((await sender('deliveries', '--json')).stdout).length, 1);
  const rows = JSON.parse((await sender('publish', posts, '--dry-run', '--json')).stdout);
  t.deepEqual(rows.map(({ status }: { status: string }) => status).sort(), [
    'changed since',
    'left out',
    'left out',
    'refused',
    'to be sent',
  ]);
});

test('refresh --changed replaces the articles whose files have changed, and a renamed file is not published again', async (t) => {
  const receiver = await startHere(t, STORE_ONLY);
  const { posts, sender, write } = await connected(t, `${receiver.origin}/webhook`);
  const names = ['ants', 'bees', 'cats', 'dogs'];
  for (const name of names) write(`${name}.md`, `---\ntitle: The ${name}\n---\nText of the ${name}.\n`);
  t.is((await sender('publish', posts)).code, 0);
  const stored = (name: string) =>
    articleFiles(receiver.dir).filter((file) => fs.readFileSync(file, 'utf8').includes(`The ${name}`));

  for (const name of ['ants', 'bees', 'cats']) fs.appendFileSync(join(posts, `${name}.md`), 'And more.\n');
  const [byHand = ''] = stored('bees');
  fs.appendFileSync(byHand, '\nA person wrote this.\n');
  fs.renameSync(join(posts, 'dogs.md'), join(posts, 'hounds.md'));

  const plan = await sender('publish', posts, '--dry-run', '--json');
  const kinds = (JSON.parse(plan.stdout) as { status: string }[]).map(({ status }) => status);
  t.deepEqual(kinds, ['changed since', 'changed since', 'changed since', 'sent before']);

  const refreshed = await sender('refresh', '--changed', posts);
  t.is(refreshed.code, 1);
  t.regex(
    refreshed.stdout,
    /✓ posts\/ants\.md → .*\n✗ posts\/bees\.md: the refresh stops: the article is not what was delivered last from here: .*A person wrote this.*\n✓ posts\/cats\.md → /,
  );
  t.regex(refreshed.stdout, /4 files: 2 refreshed, 1 failed, 1 unchanged\n/);
  t.regex(fs.readFileSync(byHand, 'utf8'), /A person wrote this/);
  for (const name of names) t.is(stored(name).length, 1, name);
  t.regex(fs.readFileSync(stored('cats')[0] ?? '', 'utf8'), /And more\./);

  const again = await sender('refresh', '--changed', posts, '--json');
  t.deepEqual(
    (JSON.parse(again.stdout) as { status: string }[]).map(({ status }) => status),
    ['unchanged', 'failed', 'unchanged', 'unchanged'],
  );

  fs.appendFileSync(join(posts, 'hounds.md'), 'Renamed and changed.\n');
  const unclear = await sender('publish', posts);
  t.regex(
    unclear.stdout,
    /✗ .*hounds\.md: its title is that of posts\/dogs\.md, which is gone; if it is the same article, write id: (md-\w+) /,
  );
  const [, id = ''] = /write id: (md-\w+) /.exec(unclear.stdout) ?? [];
  const renamed = fs.readFileSync(join(posts, 'hounds.md'), 'utf8');
  fs.writeFileSync(join(posts, 'hounds.md'), renamed.replace('---\n', `---\nid: ${id}\n`));
  const told = await sender('refresh', '--changed', join(posts, 'hounds.md'));
  t.is(told.code, 0, told.stdout);
  t.regex(fs.readFileSync(stored('dogs')[0] ?? '', 'utf8'), /Renamed and changed\./);
});

test('an old blog: its articles go out oldest first, their links lead to the old site, and redirects lead from it', async (t) => {
  const receiver = await startHere(t, STORE_ONLY);
  const { dir, posts, sender, write } = await connected(t, `${receiver.origin}/webhook`);
  write(
    '2019-03-04-wind.md',
    '---\ntitle: Wind\naliases: [/w]\n---\n[Rain](../rain.html) and `[code](a.html)`.\n',
  );
  write('a-new.md', '---\ntitle: New\ndate: 2024-01-02\npermalink: /news/new.html\n---\n![New](new.png)\n');
  write('b-old.md', '---\ntitle: Old\ndate: 2001-01-02\n---\nText.\n');
  write('undated.md', '---\ntitle: Undated\n---\nText.\n');
  const options = [
    '--base-url',
    'https://old.example/:year/:month/:slug/',
    '--redirects',
    join(dir, 'moved'),
  ];
  const { code, stdout } = await sender('publish', posts, ...options);
  t.is(code, 0, stdout);
  t.regex(
    stdout,
    /Written: .*moved\/urls\.csv\nWritten: .*moved\/_redirects\nWritten: .*moved\/nginx\.conf\n$/,
  );

  const list = JSON.parse((await sender('deliveries', '--json')).stdout) as Record<string, string>[];
  t.deepEqual(
    list.map(({ title }) => title),
    ['Old', 'Wind', 'New', 'Undated'],
  );
  const text = (title: string) => {
    const { article = '' } = list.find((row) => row.title === title) ?? {};
    return fs.readFileSync(fileOf(receiver.dir, article), 'utf8');
  };
  t.regex(text('Wind'), /\[Rain\]\(https:\/\/old\.example\/2019\/03\/rain\.html\) and `\[code\]\(a\.html\)`/);
  t.regex(text('New'), /!\[New\]\(https:\/\/old\.example\/news\/new\.png\)/);

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
  t.regex(again.stdout, /^4 files: 4 unchanged\n$/, 'the address is kept with the connector');
  write('next.md', '---\ntitle: Next\n---\nText.\n');
  write('copy.md', '---\ntitle: Undated\n---\nText.\n');
  const plan = await sender('publish', posts, '--dry-run');
  t.regex(
    plan.stdout,
    /to be sent +posts\/next\.md: Next, as next, probably at https:\/\/garden\.example\/articles\/next\/\n/,
  );
  t.regex(
    plan.stdout,
    /refused +posts\/copy\.md: its title and its text are those of posts\/undated\.md; if it is/,
  );
  const without = await sender('publish', posts, '--no-base-url', '--redirects', join(dir, 'moved'));
  t.is(without.code, 2);
  t.regex(without.stderr, /--redirects needs to know where the articles were; add --base-url/);
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
  const { sender, write, posts } = await connected(t, endpoint.url);
  write('README.md', 'no front matter');
  t.regex((await sender('publish', posts)).stderr, /there is no article in .*posts; articles are \.md or/);
  const post = write('bees.md', '---\n---\nText.\n');
  await sender('connect', 'orchard', endpoint.url);
  for (const [args, words] of [
    [['publish', post], /say which connector with --connector; there are garden, orchard/],
    [['publish', post, '--connector', 'gardn'], /no connector "gardn"; did you mean garden\?/],
    [['deliveries', 'retry', '../connectors/garden'], /there is no delivery "\.\.\/connectors\/garden"/],
  ] as const) {
    const ended = await sender(...args);
    t.deepEqual([ended.code, ended.stdout], [2, ''], args.join(' '));
    t.regex(ended.stderr, words);
  }
});

test('what cannot be an article is refused or left out with its reason, in the report too; the others are published', async (t) => {
  const endpoint = await startEndpoint(t, reply(200));
  const { dir, sender, posts, write } = await connected(t, endpoint.url);
  write('a "good" one.md', '---\n---\nText.\n');
  write('bad.md', '---\ntags: [\n---\nText.\n');
  write('hugo.md', '+++\ntitle = "x"\n+++\nText.\n');
  write('large.md', `---\n---\n${'x'.repeat(600_000)}\n`);
  write('page.mdx', '---\n---\nText.\n');
  write('one.md', '---\nid: same\n---\nText.\n');
  write('two.md', '---\nid: same\n---\nOther text.\n');
  const report = join(dir, 'report.csv');
  const { code, stdout } = await sender('publish', posts, '--report', report);
  t.is(code, 1);
  t.regex(stdout, /posts\/page\.mdx is left out: it is MDX/);
  t.regex(stdout, /✗ .*bad\.md: line 3: /);
  t.regex(stdout, /✗ .*large\.md: the article takes \d+ bytes as a request; receivers take 1000000/);
  t.regex(stdout, /✗ .*two\.md: posts\/one\.md has the same id, same/);
  t.regex(stdout, /7 files: 3 delivered, 3 refused, 1 left out\n/);
  const rows = fs.readFileSync(report, 'utf8').split('\r\n');
  t.is(rows[0], 'file,status,url,error');
  t.true(rows.includes('"posts/a ""good"" one.md","delivered","",""'));
  t.true(rows.some((row) => row.startsWith('"posts/bad.md","refused","","line ')));
});

test('a receiver that wants to be left alone is named in the list; what a person sends ends the pause', async (t) => {
  let isLimited = false;
  const endpoint = await startEndpoint(t, (got, response) => {
    const isTaken = got.headers['x-service-event'] === 'webhook.test' && !isLimited;
    return (isTaken ? reply(200) : reply(429, 'slowly', { 'retry-after': '3600' }))(got, response);
  });
  const { sender, write } = await connected(t, endpoint.url);
  await sender('publish', write('bees.md', '---\n---\nText.\n'));
  const paused = /\nhttp:.* is left alone until .*: HTTP 429, Retry-After: 3600\n$/;
  t.regex((await sender('deliveries')).stdout, paused);
  const [{ id }] = JSON.parse((await sender('deliveries', '--json')).stdout) as [{ id: string }];
  t.is((await sender('deliveries', 'send', id)).code, 0);
  t.notRegex((await sender('deliveries')).stdout, paused);
  await sender('work', '--once');
  t.regex((await sender('deliveries')).stdout, paused);
  await sender('connect', 'garden', endpoint.url);
  t.notRegex((await sender('deliveries')).stdout, paused);
  isLimited = true;
  t.is((await sender('connect', 'garden', endpoint.url)).code, 1);
  t.regex((await sender('deliveries')).stdout, paused, 'connect heeds it too');
});

test.serial('the moving line counts what is delivered in this run, and failures apart', async (t) => {
  let failing = false;
  const endpoint = await startEndpoint(t, (got, response) => reply(failing ? 500 : 200)(got, response));
  const { posts, sender, write } = await connected(t, endpoint.url);
  write('ants.md', '---\n---\nText.\n');
  await sender('publish', posts);
  write('bees.md', '---\n---\nText.\n');
  failing = true;
  Object.assign(process.stderr, { isTTY: true });
  t.teardown(() => Object.assign(process.stderr, { isTTY: false }));
  const { stderr } = await sender('publish', posts);
  t.regex(stderr, /2 of 2 files read.*\r.*0 of 1 delivered, 1 failed/s);
});

test('retry of several queues and names those that have failed, and says why the others are not', async (t) => {
  let status = 200;
  const endpoint = await startEndpoint(t, (got, response) => reply(status)(got, response));
  const { sender, write } = await connected(t, endpoint.url);
  await sender('publish', write('ants.md', '---\n---\nText.\n'));
  status = 500;
  await sender('publish', write('bees.md', '---\n---\nText.\n'));
  const list = JSON.parse((await sender('deliveries', '--json')).stdout) as { id: string }[];
  const [ants = '', bees = ''] = list.map(({ id }) => id);
  await sender('deliveries', 'cancel', bees);
  const ended = await sender('deliveries', 'retry', bees, ants);
  t.is(ended.code, 2);
  t.regex(ended.stdout, /^… posts\/bees\.md due at .*\n1 to be sent again/);
  t.is(ended.stderr, `pressmark: ${ants} has not failed, it is success\n`);
});

test('retry all says why a refresh that ended with 409 is not sent again', async (t) => {
  const capabilities = ['article.published', 'article.lookup', 'article.updated'];
  const target = { id: 'a', url: 'https://g.example/a', revision_id: 'r', title: 'A', content_html: '<p>' };
  const endpoint = await startEndpoint(t, (got, response) => {
    const status = got.headers['x-service-event'] === 'article.updated' ? 409 : 200;
    return reply(status, { received: true, contract_version: 3, capabilities, target })(got, response);
  });
  const { sender, write } = await connected(t, endpoint.url);
  const refreshed = await sender('refresh', target.url, write('a.md', '---\n---\nText.\n'), '--json');
  const row = JSON.parse(refreshed.stdout);
  t.like(row, { file: 'posts/a.md', status: 'failed', lastStatusCode: 409, nextRetryAt: null });
  t.regex(row.revision, /^refresh-/);
  const { code, stdout } = await sender('deliveries', 'retry', 'all');
  t.is(code, 0);
  t.regex(
    stdout,
    /^\w+ is a refresh of an article that has changed since \(409\); make a new one with .*\n$/,
  );
});
