import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { articleFiles } from '../support/content.js';
import { startHere } from '../support/receiver-here.js';
import { storeOnly } from '../support/store-only.js';
import { tempDir } from '../support/temp-dir.js';
import { withPackages, withPlugins } from '../support/with-plugins.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const KEY = 'a secret of the service';

/** Options on the page, and their JavaScript code. */
interface Form {
  readonly path: string;
  readonly code: string;
}

/** The answer of the adapter. */
interface Answered {
  readonly url: string;
  readonly articles: readonly { readonly outcome: string }[];
}

/** What a service sends in a form, and what must be stored of it. */
interface Sent {
  readonly payload: object;
  readonly stored: readonly RegExp[];
}

/** By the paths of the forms on the page. */
const SENT: Readonly<Record<string, Sent>> = {
  '/incoming/one': {
    payload: {
      id: '9001',
      title: 'Mulch in dry summers',
      content: '<p>Ten centimetres are enough.</p>',
      content_markdown: 'Ten centimetres are enough.',
      thumbnail: 'https://images.example/mulch.jpg',
      metadescription: 'How much mulch a bed needs.',
      keyword_seed: 'mulch',
    },
    stored: [
      /^title: "Mulch in dry summers"$/m,
      /^image: "https:\/\/images.example\/mulch.jpg"$/m,
      /^keyword: "mulch"$/m,
      /^description: "How much mulch a bed needs."$/m,
    ],
  },
  '/incoming/batch': {
    payload: {
      event_type: 'publish_articles',
      timestamp: '2026-04-01T12:00:00Z',
      data: {
        articles: [
          {
            id: 'b-1',
            title: 'Sowing peas',
            content_markdown: 'From **March** on.',
            content_html: '<p>From <strong>March</strong> on.</p>',
            meta_description: 'When peas are sown.',
            created_at: '2026-03-31T10:30:00Z',
            image_url: 'https://images.example/peas.jpg',
            slug: 'sowing-peas',
            tags: ['peas', 'spring'],
          },
          { id: 'b-2', title: 'Sowing beans', content_html: '<p>After the last frost.</p>', tags: [] },
        ],
      },
    },
    stored: [
      /^title: "Sowing peas"$/m,
      /^slug: "sowing-peas"$/m,
      /^tags: \["peas", "spring"\]$/m,
      /^date: "2026-03-31T10:30:00Z"$/m,
      /^title: "Sowing beans"$/m,
    ],
  },
  '/incoming/slug': {
    payload: {
      title: 'Rain barrels',
      slug: 'rain-barrels',
      content_md: 'Keep the lid **closed**.',
      content_html: '<p>Keep the lid <strong>closed</strong>.</p>',
      excerpt: 'What a barrel needs.',
      cover_image_url: 'https://images.example/barrel.webp',
      primary_keyword: 'rain barrel',
      secondary_keywords: ['water', 'garden'],
    },
    stored: [/^id: "rain-barrels"$/m, /^tags: \["water", "garden"\]$/m, /lid \*\*closed\*\*/],
  },
  '/incoming/event': {
    payload: {
      event: 'content.generation_completed',
      data: {
        id: 'c-77',
        title: 'Compost in winter',
        content: '<p>Turn it once.</p>',
        meta_description: 'What the heap needs in the cold.',
        featured_images: [{ url: 'https://images.example/heap.jpg', alt: 'A heap' }],
        settings: { target_keyword: 'compost' },
        created_at: '2026-07-03T18:38:11.104Z',
      },
    },
    stored: [/^image: "https:\/\/images.example\/heap.jpg"$/m, /^keyword: "compost"$/m],
  },
  '/incoming/entry': {
    payload: {
      event: 'entry.publish',
      created_at: '2026-01-10T08:47:36.649Z',
      model: 'article',
      entry: {
        id: 41,
        title: 'Pruning apples',
        slug: 'pruning-apples',
        body: 'Cut above an **outward** bud.',
        publishedAt: '2026-01-10T08:47:36.264Z',
        author: { id: 3, name: 'Ada' },
        tags: [
          { id: 1, name: 'fruit' },
          { id: 2, name: 'winter' },
        ],
        cover: { url: 'https://images.example/apple.jpg' },
      },
    },
    stored: [
      /^id: "41"$/m,
      /^author: "Ada"$/m,
      /^tags: \["fruit", "winter"\]$/m,
      /^Cut above an \*\*outward\*\* bud\.$/m,
    ],
  },
  '/incoming/signed': {
    payload: {
      post: {
        guid: 's-5',
        headline: 'Slugs and copper',
        html: '<p>A ring keeps most of them off.</p>',
        summary: 'Does copper help?',
        keywords: 'slugs, copper',
      },
    },
    stored: [/^id: "s-5"$/m, /^tags: \["slugs", "copper"\]$/m, /A ring keeps most of them off/],
  },
};

/** The defaults of the options, and then the six forms. */
function formsOnPage(): Form[] {
  const page = fs.readFileSync(join(ROOT, 'docs/services.md'), 'utf8');
  return [...page.matchAll(/^```js\n(\(\{\n {2}path: '([^']+)',[\s\S]*?)```$/gm)].map(
    ([, code = '', path = '']) => ({ code: code.trim(), path }),
  );
}

/** The HMAC of a body as another program computes it. */
function hmacOf(body: string): string {
  const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', KEY, '-r'], {
    input: body,
    encoding: 'utf8',
  });
  return printed.split(' ', 1)[0] ?? '';
}

test('the six forms of docs/services.md are stored by the plugin json-webhook, each once', async (t) => {
  const forms = formsOnPage().slice(1);
  t.deepEqual(
    forms.map(({ path }) => path),
    Object.keys(SENT),
  );
  const dir = tempDir(t);
  withPackages(storeOnly(dir));
  const plugin = fs.readFileSync(join(ROOT, 'examples/plugins/json-webhook.mjs'), 'utf8');
  withPlugins(dir, { '_json-webhook': plugin });
  // One plugin for each form, in one receiver.
  for (const [index, { code: options }] of forms.entries())
    fs.writeFileSync(
      join(dir, `plugins/form-${index}.mjs`),
      `import plugin from './_json-webhook.mjs';
       const { value } = plugin.options['~standard'].validate(${options});
       const { options: _, ...rest } = plugin;
       export default { ...rest, name: 'form-${index}', receiver: (host) => plugin.receiver({ ...host, options: value }) };`,
    );
  const receiver = await startHere(t, { dir, env: { JSON_WEBHOOK_SECRET: KEY } });
  const send = async (path: string, body: string, headers: Record<string, string>) => {
    const response = await fetch(`${receiver.origin}${path}`, { method: 'POST', body, headers });
    return { status: response.status, json: (await response.json()) as Answered };
  };
  for (const [path, { payload: sent, stored }] of Object.entries(SENT)) {
    const payload = JSON.stringify(sent);
    const headers = {
      authorization: `Bearer ${KEY}`,
      'x-secret': KEY,
      'x-signature': `sha256=${hmacOf(payload)}`,
    };
    const wrong = { authorization: 'Bearer x', 'x-secret': 'x', 'x-signature': 'sha256=0' };
    t.is((await send(path, payload, wrong)).status, 401, path);
    const before = articleFiles(dir).length;
    const first = await send(path, payload, headers);
    t.is(first.status, 200, path);
    t.true(
      first.json.articles.every(({ outcome }) => outcome === 'stored'),
      path,
    );
    const files = articleFiles(dir);
    t.is(files.length - before, first.json.articles.length, path);
    const text = files.map((file) => fs.readFileSync(file, 'utf8')).join('\n');
    for (const part of stored) t.regex(text, part, path);
    const again = await send(path, payload, headers);
    t.true(
      again.json.articles.every(({ outcome }) => outcome === 'known'),
      path,
    );
    t.is(articleFiles(dir).length, files.length, path);
  }
  const ignored = { event: 'entry.delete', entry: { id: 99, title: 'Gone', body: 'x' } };
  const headers = { authorization: `Bearer ${KEY}` };
  const { status, json } = await send('/incoming/entry', JSON.stringify(ignored), headers);
  t.like({ status, json }, { status: 200, json: { articles: [] } });
});

test('docs/services.md has the defaults of the plugin json-webhook', async (t) => {
  const [{ code = '' } = {}] = formsOnPage();
  const { default: shown } = await import(`data:text/javascript,export default ${encodeURIComponent(code)}`);
  const { default: plugin } = await import(
    new URL('../../../examples/plugins/json-webhook.mjs', import.meta.url).href
  );
  const { only, auth, ...defaults } = plugin.options['~standard'].validate({}).value;
  t.is(only, undefined);
  t.deepEqual({ ...shown, auth: { ...shown.auth, hmac: undefined } }, { ...defaults, auth });
});
