import test from 'ava';
import { type AskedWork, createCodecInThread } from '../../../src/app/content/article-codec.js';
import { contentOf } from '../../../src/app/content/content.js';
import { loadSettings, type Settings } from '../../../src/config/load.js';
import { article } from '../../support/events.js';
import { bareEnvironment, SITE_URL } from '../../support/receiver.js';
import { makeTempDir, removeTempDir, writeFiles } from '../../support/temp-dir.js';

const HUGO = new URL('../../../src/generators/hugo/hugo.js', import.meta.url).href;

/**
 * A site whose own generator takes for ever for a body that is `endless`; of a `deadly` one its thread dies, and of a `faulty`
 * one the function fails.
 */
const SLOW_SITE = `import { hugo } from '${HUGO}';
const slow = (incoming) => {
  if (incoming.html.includes('endless')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (incoming.html.includes('deadly')) process.exit();
  if (incoming.html.includes('faulty')) throw new TypeError('a fault of the mapping');
  return { text: incoming.html, frontMatter: {} };
};
const mapping = (options) => ({ ...hugo.mapping(options), body: slow });
export default { build: 'true', generator: { ...hugo, name: 'slow', mapping }, articles: { file: ':slug.md' } };
`;

const dir = makeTempDir();
let settings: Settings;
/** One codec for the tests that leave its thread alive. */
let codec: AskedWork;
let encode: (html: string) => Promise<string>;
let close: (() => Promise<void>) | undefined;

test.before(async () => {
  writeFiles(dir, { 'pressmark.config.mjs': SLOW_SITE });
  settings = await loadSettings(dir, {}, { ...bareEnvironment(), PRESSMARK_SITE_URL: SITE_URL });
  ({ codec, encode, close } = openCodec());
});
test.after.always(async () => {
  await close?.();
  removeTempDir(dir);
});

function openCodec(limitMs?: number) {
  const { codec, close } = createCodecInThread(settings, limitMs);
  const { id, title } = article();
  const encode = async (html: string) =>
    (await codec.encode({ ...EMPTY, id, title, body: html, contentHtml: html }, 'a.md')).text;
  return { codec, encode, close };
}

test('500: of the articles in the thread, only the one that takes too long is refused; 503: what it was asked before it is closed is finished, and nothing else is begun', async (t) => {
  const { encode, codec, close } = openCodec(5_000);
  t.teardown(close);
  t.regex(await encode('<p>first</p>'), /first/);
  const endless = encode('<p>endless</p>');
  const page = { url: `${SITE_URL}/a/`, jsonLd: '', comments: ['<!-- svc:item:a -->'] };
  const behind = codec.pageProblem(page, { status: 200, robots: '', text: '<title>Soil</title>' });
  await t.throwsAsync(endless, { message: 'an article could not be processed: that took longer than 5 s' });
  t.is(await behind, 'the page does not have the item comment <!-- svc:item:a -->');
  const last = encode('<p>last</p>');
  await close();
  t.regex(await last, /last/);
  await t.throwsAsync(encode('<p>late</p>'), { code: 'STOPPING' });
});

test('500: of the articles in the thread, only the one of which it dies is refused', async (t) => {
  const { encode, codec, close } = openCodec();
  t.teardown(close);
  const words = ['first', 'deadly', 'deadly', 'third', 'deadly', 'behind too many'];
  const texts = words.map((word) => encode(`<p>${word}</p>`));
  const settled = await Promise.allSettled(texts);
  t.deepEqual(
    settled.map((one) =>
      one.status === 'rejected' ? one.reason.message : /first|third/.exec(one.value)?.[0],
    ),
    [
      'first',
      'an article could not be processed: its thread has ended',
      'an article could not be processed: its thread has ended',
      'third',
      'an article could not be processed: its thread has ended',
      'too many articles failed; send it again',
    ],
  );
  t.deepEqual(await codec.ownTags(['Soil', 'SOIL']), { keys: ['soil'], signs: [''], tags: ['Soil'] });
});

test('500: a fault of the generator’s functions is the error of its article', async (t) => {
  await t.throwsAsync(encode('<p>faulty</p>'), {
    code: 'STORE_FAILED',
    message: 'an article could not be processed: a fault of the mapping',
  });
});

test('the thread makes of an article, a file or a body what the receiver itself would make of it', async (t) => {
  const { format } = contentOf(settings);
  const draft = { ...EMPTY, id: 'a', title: 'Soil', body: 'Feed it.', contentHtml: '<p>Feed it.</p>' };
  const made = await codec.encode(draft, 'a.md');
  t.deepEqual(made, format.encode(draft, 'a.md'));
  t.deepEqual(await codec.decode(made.text, 'a.md'), format.decode(made.text, 'a.md'));
  const error = await t.throwsAsync(codec.decode('---\na: [\n---\n', 'a.md'));
  t.like(error, { code: 'FRONT_MATTER_INVALID' });

  const contract = { name: 'X-Service-Contract', value: undefined };
  const read = (event: string) => {
    const envelope = {
      event,
      timestamp: '2026-03-01T00:00:00Z',
      data: article({ tags: [' Soil ', 'SOIL'] }),
    };
    return codec.readDelivery(Buffer.from(JSON.stringify(envelope)), contract);
  };
  t.like((await read('article.published')).data, { tags: ['Soil'] });
  await t.throwsAsync(read('article.unknown'), {
    code: 'EVENT_UNSUPPORTED',
    message: /^event "article.unknown"/,
  });
});

test('400: what is nested too deep to go from thread to thread is refused at once, on its way there and back', async (t) => {
  const { readIncoming } = codec;
  const nested = (levels: number, inside: unknown) => {
    let value = inside;
    for (let level = 0; level < levels; level++) value = { a: value };
    return value as Record<string, unknown>;
  };
  const incoming = { id: 'a', title: 'Soil', contentHtml: '<p>Feed it.</p>' };
  const read = (source: Record<string, unknown>) =>
    readIncoming({ ...incoming, source }, '2026-03-01T00:00:00Z');
  const [plain, deep, endless, behind] = await Promise.allSettled([
    read(nested(400, 1)),
    read(nested(5_000, 1)),
    read(nested(100_000, 1)),
    encode('<p>behind</p>'),
  ]);
  t.like([plain.status, behind.status], ['fulfilled', 'fulfilled']);
  for (const one of [deep, endless]) t.like(one, { reason: { code: 'BODY_INVALID' } });
  const file = `---\nid: a\ntitle: Soil\ndeep: ${'['.repeat(3_000)}${']'.repeat(3_000)}\n---\nFeed it.\n`;
  await t.throwsAsync(codec.decode(file, 'a.md'));
  t.regex(await encode('<p>last</p>'), /last/);
});

test('what a person has entered is read by the thread, and compared with the article', async (t) => {
  const { editable: editableOf, form, formFields } = codec;
  const { text } = await codec.encode(
    { ...EMPTY, id: 'a', title: 'Soil', body: 'Feed it.', contentHtml: '' },
    'a.md',
  );
  const stored = await codec.decode(text, 'a.md');
  const editable = await editableOf(stored);
  t.regex(editable, /Feed it\./);
  const same = { title: ' Soil ', tags: [], body: `${editable}\r\n` };
  t.deepEqual(await form(same, stored), { title: 'Soil', tags: [] });
  const entered = { title: ' Clay ', tags: ['Bees', 'bees '], body: 'Feed them.' };
  t.deepEqual(await form(entered, stored), { title: 'Clay', tags: ['Bees'], body: 'Feed them.' });
  const inTwoLines = { ...stored, article: { ...stored.article, title: 'Soil\nand its tenants' } };
  t.deepEqual(
    await form({ title: 'Soiland its tenants' }, inTwoLines),
    {},
    'as a field of one line shows it',
  );
  await t.throwsAsync(form({ image: 'a.jpg' }, stored), {
    code: 'BODY_INVALID',
    message: /^the image /,
  });
  const noData = { title: () => 'Soil' } as unknown as { title: string };
  await t.throwsAsync(form(noData, stored), { code: 'BODY_INVALID', message: /are not plain data/ });
  const encoded = 'application/x-www-form-urlencoded';
  t.deepEqual(await formFields(encoded, Buffer.from('a=%C3%A9&b[]=1&b[]=2')), { a: 'é', b: ['1', '2'] });
  await t.throwsAsync(formFields('text/plain', Buffer.from('a=1')), { code: 'BODY_INVALID' });
});

test('a generator whose functions no thread can load is refused', async (t) => {
  t.throws(() => createCodecInThread({ ...settings, configFile: undefined }), {
    code: 'CONFIG_INVALID',
    message: /^generator "slow" is defined by functions outside a config file;/,
  });
});

const EMPTY = {
  description: '',
  author: '',
  tags: [],
  keyword: '',
  image: null,
  jsonLd: '',
  slug: 'a',
  date: '2026-03-01T00:00:00Z',
  updated: null,
  url: `${SITE_URL}/a/`,
  extra: {},
};
