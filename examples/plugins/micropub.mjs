// Takes posts from Micropub clients (https://www.w3.org/TR/micropub/). docs/services.md says how to connect them.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { definePlugin, escapeHtml, refusal } from 'pressmark';

const invalid = (message) => refusal(400, 'invalid_request', message);

export default definePlugin({
  name: 'micropub',
  version: '1.0.0',
  // Tokens, with commas between them. Behind a token are its scopes: create, update, delete, media; none for all.
  secrets: ['MICROPUB_TOKENS'],
  receiver({ articles, assets, storage, adapter, answer }) {
    adapter({
      path: '/micropub',
      auth: { kind: 'bearer', secret: 'MICROPUB_TOKENS' },
      maxBytes: 10_000_000,
      routes: {
        async 'GET /'(_, { origin, caller, query: { q = '', url, properties: names = [] } }) {
          if (q !== 'source') return { 'media-endpoint': `${origin}/micropub/media`, 'syndicate-to': [] };
          caller.need('update', 'create'); // it has the drafts, too
          const properties = propertiesOf(await articleAt(url));
          const asked = Object.entries(properties).filter(([name]) => [names].flat().includes(name));
          if (names.length > 0) return { properties: Object.fromEntries(asked) };
          return { type: ['h-entry'], properties };
        },
        async 'POST /'(given, { caller }) {
          const { action = 'create', access_token: _, ...fields } = Object(given);
          const actions = { create, update, delete: remove, undelete: restore };
          if (!Object.hasOwn(actions, action)) throw invalid(`there is no action ${action}`);
          caller.need(action === 'undelete' ? 'delete' : action);
          return (await actions[action](fields)) ?? {};
        },
        async 'POST /media'(given, { caller }) {
          caller.need('media', 'create');
          if (!(given?.file instanceof Blob)) throw invalid('there is no file');
          return answer(201, {}, { Location: (await assets.put(given.file)).url });
        },
      },
      errorBody({ status, code, message }) {
        const error = status === 401 && code !== 'insufficient_scope' ? 'unauthorized' : code.toLowerCase();
        return { error: error === 'body_invalid' ? 'invalid_request' : error, error_description: message };
      },
    });

    async function create({ type, h = 'entry', properties, ...fields }) {
      if ((type ?? [`h-${h}`])[0] !== 'h-entry') throw invalid('only posts of the type h-entry are accepted');
      const lists = properties ? listsIn(properties) : Object.entries(fields);
      const stored = (value) => (value instanceof Blob ? assets.put(value).then(({ url }) => url) : value);
      const entries = lists.map(async ([name, all]) => [name, await Promise.all([all].flat().map(stored))]);
      const post = Object.fromEntries(await Promise.all(entries));
      const article = { ...articleOf(post), id: `micropub-${randomUUID()}` };
      const { url, outcome } = await articles.receive(article, { once: JSON.stringify(post) });
      if (outcome === 'deleted') throw refusal(410, 'deleted', 'the owner has deleted this post');
      return answer(201, {}, { Location: new URL(url).href });
    }

    async function update({ url, ...changes }) {
      const { id } = await articleAt(url);
      await articles.change(id, (before) => updated(before, changes));
    }

    async function remove({ url }) {
      const { id, state } = await articleAt(url);
      await storage.update(`deleted ${id}`, (before) => before ?? state);
      await articles.setState(id, 'held');
    }

    async function restore({ url }) {
      const { id, date } = await articleAt(url);
      const state = await storage.get(`deleted ${id}`);
      if (state === undefined) throw invalid('this post was not deleted');
      if (state !== 'held') await articles.setState(id, 'live', date);
      await storage.delete(`deleted ${id}`);
    }

    async function articleAt(url) {
      const article = await articles.find(String(url));
      if (article?.id.startsWith('micropub-')) return article;
      throw invalid(`there is no post of Micropub at ${url}`);
    }
  },
});

function listsIn(properties = {}) {
  const lists = Object.entries(properties);
  if (lists.every(([, values]) => Array.isArray(values))) return lists;
  throw invalid('the values of a property must be a list');
}

/** An article after an update of its properties. */
function updated(article, { replace, add, delete: removed = {} }) {
  const post = { ...propertiesOf(article), ...Object.fromEntries(listsIn(replace)) };
  for (const [name, values] of listsIn(add)) post[name] = [...(post[name] ?? []), ...values];
  if (Array.isArray(removed)) for (const name of removed) delete post[name];
  else
    for (const [name, values] of listsIn(removed))
      post[name] = post[name]?.filter((one) => !values.some((other) => isDeepStrictEqual(one, other))) ?? [];
  return { ...article, ...articleOf(post) };
}

/** An article of a post. All but the content is in the front matter, too, as it was sent. */
function articleOf({ content = [''], url: _, 'mp-slug': slug, ...post }) {
  const { html } = Object(content[0]);
  const words = html ?? content[0];
  if (typeof words !== 'string') throw invalid('content must be a text or { html }');
  const text = [words, photosOf(post, html !== undefined)].filter(Boolean).join('\n\n');
  return {
    title: post.name?.[0] ?? titleOf(words),
    ...(html === undefined ? { contentHtml: '', markdown: text } : { contentHtml: text, markdown: null }),
    description: post.summary?.[0],
    tags: post.category ?? [],
    date: post.published?.[0],
    slug: slug?.[0],
    state: post['post-status']?.[0] === 'draft' ? 'held' : 'live',
    frontMatter: { micropub: post },
  };
}

function propertiesOf({ url, body, contentHtml, markdown = body, date, state, extra, frontMatter = extra }) {
  const isHtml = contentHtml !== '' && (markdown === undefined || contentHtml === markdown);
  const photos = photosOf(frontMatter.micropub, isHtml);
  const whole = (isHtml ? contentHtml : markdown).trimEnd();
  const text = whole.endsWith(photos) ? whole.slice(0, whole.length - photos.length).trimEnd() : whole;
  return {
    category: [],
    published: [date],
    ...frontMatter.micropub,
    url: [url],
    content: [isHtml ? { html: text } : text],
    'post-status': [state === 'held' ? 'draft' : 'published'],
  };
}

function photosOf({ photo = [] }, isHtml) {
  const elements = photo.map((one) => {
    const { value = one, alt = '' } = Object(one);
    if (!/^https?:/i.test(value) || !URL.canParse(value)) throw invalid(`${value} is no address of a photo`);
    const { href } = new URL(value);
    const words = escapeHtml(String(alt)).replace(/[[\]\\]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    return isHtml ? `<img src="${href.replaceAll('&', '&amp;')}" alt="${words}">` : `![${words}](<${href}>)`;
  });
  return elements.join('\n\n');
}

/** What a post without a name is called. */
function titleOf(text) {
  const title = text.replace(/(?:<[^<>]*>|\s)+/g, ' ').trim();
  return title.length > 60 ? `${title.slice(0, 60).replace(/ \S*$/, '')} …` : title;
}
