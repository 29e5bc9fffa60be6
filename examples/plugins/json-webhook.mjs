// Receives articles from a service that sends them as JSON in a form of its own. docs/services.md has the forms.
import { createHmac } from 'node:crypto';
import { definePlugin, sameSecret } from 'pressmark';

// For a second service, copy this file and change these two.
const NAME = 'json-webhook';
const SECRET = 'JSON_WEBHOOK_SECRET';

/** Where each field of an article is in what the service sends: keys joined by dots; `*` stands for all of a list. */
const FIELDS = {
  id: 'id',
  title: 'title',
  contentHtml: 'content_html',
  markdown: 'content_markdown',
  description: 'meta_description',
  slug: 'slug',
  tags: 'tags',
  author: 'author',
  keyword: 'focus_keyword',
  image: 'image_url',
  date: 'published_at',
};

const DEFAULTS = {
  path: '/incoming',
  // Where the secret comes, or, with `hmac: 'hex'` or 'base64', the HMAC-SHA256 of the raw body.
  auth: { header: 'authorization', prefix: 'Bearer ', hmac: undefined },
  // Where the articles are: one, or a list. '' is the whole body.
  items: '',
  // Requests that bring no article, such as tests: only where the value at `only.at` is one of `only.values` is anything stored.
  only: undefined,
  fields: FIELDS,
};

export default definePlugin({
  name: NAME,
  version: '1.0.0',
  secrets: [SECRET],
  options: {
    '~standard': {
      version: 1,
      vendor: NAME,
      validate(given) {
        const issues = [...unknownIn(given, DEFAULTS, []), ...unknownIn(given.fields, FIELDS, ['fields'])];
        if (issues.length > 0) return { issues };
        const auth = {
          ...DEFAULTS.auth,
          ...(given.auth?.hmac ? { header: 'x-signature', prefix: 'sha256=' } : {}),
        };
        return {
          value: {
            ...DEFAULTS,
            ...given,
            auth: { ...auth, ...given.auth },
            fields: { ...FIELDS, ...given.fields },
          },
        };
      },
    },
  },
  receiver(host) {
    const { path, auth, items, only, fields } = host.options;
    const secret = host.secrets[SECRET];

    host.adapter({
      path,
      verify({ headers, body }) {
        const given = headers[auth.header.toLowerCase()];
        const value = auth.hmac ? createHmac('sha256', secret).update(body).digest(auth.hmac) : secret;
        return sameSecret(given, `${auth.prefix}${value}`);
      },
      receive(payload) {
        if (only !== undefined && !only.values.includes(valueAt(payload, only.at)))
          return host.answer(200, { received: true, articles: [] });
        const found = valueAt(payload, items);
        const list = Array.isArray(found) ? found : [found];
        const articles = list.map((item) => articleOf(item, fields));
        return Array.isArray(found) ? articles : articles[0];
      },
    });
  },
});

function articleOf(item, fields) {
  const article = { source: item };
  for (const [name, path] of Object.entries(fields)) {
    const value = path === null ? undefined : valueAt(item, path);
    if (value === undefined || value === null) continue;
    if (name === 'tags') article.tags = listOf(value);
    else article[name] = typeof value === 'number' ? String(value) : value;
  }
  // A service that sends Markdown alone: Pressmark renders it.
  return { title: '', contentHtml: '', ...article };
}

/** A list of texts, or one text with commas. */
function listOf(value) {
  const list = Array.isArray(value) ? value : String(value).split(',');
  return list.map((one) => String(one).trim()).filter((one) => one !== '');
}

function valueAt(value, path) {
  const [key, ...rest] = path.split('.');
  if (key === '') return value;
  const below = rest.join('.');
  if (key === '*') return Array.isArray(value) ? value.map((one) => valueAt(one, below)) : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return valueAt(value[key], below);
}

function unknownIn(given = {}, known, path) {
  return Object.keys(given)
    .filter((key) => !Object.hasOwn(known, key))
    .map((key) => ({
      message: `there is no option ${key}; there are ${Object.keys(known).join(', ')}`,
      path,
    }));
}
