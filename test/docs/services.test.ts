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

/** A form on the page: what is sent, and the options for it. */
interface Form {
  readonly title: string;
  readonly payload: string;
  readonly options: string;
}

/** The answer of the adapter. */
interface Answered {
  readonly url: string;
  readonly articles: readonly { readonly outcome: string }[];
}

/** What must be stored of each form, by its title. */
const STORED: Readonly<Record<string, readonly RegExp[]>> = {
  'One article, a secret in a header': [
    /^title: "Mulch in dry summers"$/m,
    /^image: "https:\/\/images.example\/mulch.jpg"$/m,
    /^keyword: "mulch"$/m,
    /^description: "How much mulch a bed needs."$/m,
  ],
  'A batch with a bearer token': [
    /^title: "Sowing peas"$/m,
    /^slug: "sowing-peas"$/m,
    /^tags: \["peas", "spring"\]$/m,
    /^date: "2026-03-31T10:30:00Z"$/m,
    /^title: "Sowing beans"$/m,
  ],
  'An article without an id': [
    /^id: "rain-barrels"$/m,
    /^tags: \["water", "garden"\]$/m,
    /lid \*\*closed\*\*/,
  ],
  'An event around one article': [/^image: "https:\/\/images.example\/heap.jpg"$/m, /^keyword: "compost"$/m],
  'An entry of a content management system': [
    /^id: "41"$/m,
    /^author: "Ada"$/m,
    /^tags: \["fruit", "winter"\]$/m,
    /^Cut above an \*\*outward\*\* bud\.$/m,
  ],
  'A signed body': [/^id: "s-5"$/m, /^tags: \["slugs", "copper"\]$/m, /A ring keeps most of them off/],
};

function formsOnPage(): Form[] {
  const page = fs.readFileSync(join(ROOT, 'docs/services.md'), 'utf8');
  const pattern = /^### (.+)\n[\s\S]*?```json\n([\s\S]*?)```\s*```js\n([\s\S]*?)```/gm;
  return [...page.matchAll(pattern)].map(([, title = '', payload = '', options = '']) => ({
    title,
    payload: payload.trim(),
    options: options.trim(),
  }));
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
  const forms = formsOnPage();
  t.deepEqual(
    forms.map(({ title }) => title),
    Object.keys(STORED),
  );
  const dir = tempDir(t);
  withPackages(storeOnly(dir));
  const code = fs.readFileSync(join(ROOT, 'examples/plugins/json-webhook.mjs'), 'utf8');
  withPlugins(dir, { '_json-webhook': code });
  // One plugin for each form, in one receiver.
  for (const [index, { options }] of forms.entries())
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
  for (const { title, payload, options } of forms) {
    const path = /path: '([^']+)'/.exec(options)?.[1] ?? '';
    const headers = {
      authorization: `Bearer ${KEY}`,
      'x-secret': KEY,
      'x-signature': `sha256=${hmacOf(payload)}`,
    };
    const wrong = { authorization: 'Bearer x', 'x-secret': 'x', 'x-signature': 'sha256=0' };
    t.is((await send(path, payload, wrong)).status, 401, title);
    const before = articleFiles(dir).length;
    const first = await send(path, payload, headers);
    t.is(first.status, 200, title);
    t.true(
      first.json.articles.every(({ outcome }) => outcome === 'stored'),
      title,
    );
    const files = articleFiles(dir);
    t.is(files.length - before, first.json.articles.length, title);
    const text = files.map((file) => fs.readFileSync(file, 'utf8')).join('\n');
    for (const part of STORED[title] ?? []) t.regex(text, part, title);
    const again = await send(path, payload, headers);
    t.true(
      again.json.articles.every(({ outcome }) => outcome === 'known'),
      title,
    );
    t.is(articleFiles(dir).length, files.length, title);
  }
  const ignored = { event: 'entry.delete', entry: { id: 99, title: 'Gone', body: 'x' } };
  const headers = { authorization: `Bearer ${KEY}` };
  const { status, json } = await send('/incoming/entry', JSON.stringify(ignored), headers);
  t.like({ status, json }, { status: 200, json: { articles: [] } });
});

test('the table of docs/services.md has the defaults of the plugin json-webhook', async (t) => {
  const page = fs.readFileSync(join(ROOT, 'docs/services.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)].map(([, field, at]) => [field, at]);
  const module = await import(new URL('../../../examples/plugins/json-webhook.mjs', import.meta.url).href);
  t.deepEqual(Object.fromEntries(rows), module.default.options['~standard'].validate({}).value.fields);
});
