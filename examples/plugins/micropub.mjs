// Takes posts from Micropub clients (https://www.w3.org/TR/micropub/). docs/services.md says how to connect them.
import { hash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { definePlugin, sameSecret } from 'pressmark';

// Several tokens are separated by commas. Behind a token are its scopes: create, update, delete, media; none for all.
const SECRET = 'MICROPUB_TOKENS';

const refusal = (status, code, message) => Object.assign(new Error(message), { status, code, expose: true });
const invalid = (message) => refusal(400, 'invalid_request', message);

export default definePlugin({
  name: 'micropub',
  version: '1.0.0',
  secrets: [SECRET],
  receiver({ articles, assets, storage, secrets, addFilter, adapter, answer }) {
    const tokens = secrets[SECRET].split(',').map((one) => one.trim().split(/\s+/));
    if (tokens.some(([token]) => token === '')) throw new Error(`${SECRET} has an empty token`);
    const actions = { create, update, delete: remove, undelete: restore };

    addFilter('article.frontMatter', (frontMatter, { source: { micropub } = {} }) =>
      micropub === undefined ? frontMatter : { ...frontMatter, micropub },
    );
    adapter({
      path: '/micropub',
      subpaths: true,
      methods: ['GET', 'POST'],
      maxBytes: 10_000_000,
      verify: (request) => scopesOf(request) !== undefined,
      async receive(payload, request) {
        const scopes = scopesOf(request);
        const need = (...any) => {
          if (scopes.length > 0 && !any.some((scope) => scopes.includes(scope)))
            throw refusal(401, 'insufficient_scope', `the token has no scope ${any[0]}`);
        };
        if (request.method === 'GET') return query(request, need);
        const { action = 'create', ...given } = Object(payload);
        if (/\/media\/?$/.test(request.path)) {
          need('media', 'create');
          if (!(given.file instanceof Blob)) throw invalid('there is no file');
          return answer(201, {}, { Location: (await assets.put(given.file)).url });
        }
        if (!Object.hasOwn(actions, action)) throw invalid(`there is no action ${action}`);
        need(action === 'undelete' ? 'delete' : action);
        return actions[action](given);
      },
      errorBody({ status, code, message }) {
        const error = /[a-z]/.test(code) ? code : status === 400 ? 'invalid_request' : code.toLowerCase();
        return { error, error_description: message };
      },
    });

    function scopesOf({ headers: { authorization, 'content-type': type }, body }) {
      // A form is not parsed before it is verified: it may be long.
      const isForm = /^application\/x-www-form-urlencoded/i.test(type);
      const [field] = (isForm && /(?<![^&])access_token=[^&]*/.exec(body.toString('latin1'))) || [];
      const inBody = new URLSearchParams(field).get('access_token');
      if (inBody !== null && authorization !== undefined)
        throw refusal(400, 'bad request', 'the token is in the header and in the body');
      const given = inBody ?? authorization?.replace(/^bearer +/i, '');
      const found = tokens.find(([token]) => sameSecret(given, token));
      if (found === undefined) throw refusal(401, 'unauthorized', 'there is no such token');
      return found.slice(1);
    }

    async function query({ origin, query: { q, url, properties: names } }, need) {
      const config = { 'media-endpoint': `${origin}/micropub/media`, 'syndicate-to': [] };
      if (q === undefined) return answer(200, {});
      if (q === 'config') return answer(200, config);
      if (q === 'syndicate-to') return answer(200, { 'syndicate-to': [] });
      if (q !== 'source') throw invalid(`there is no query ${q}`);
      need('update', 'create'); // it has the drafts, too
      const properties = propertiesOf(await articleAt(url));
      if (names === undefined) return answer(200, { type: ['h-entry'], properties });
      const asked = [names].flat().filter((name) => Object.hasOwn(properties, name));
      return answer(200, { properties: Object.fromEntries(asked.map((name) => [name, properties[name]])) });
    }

    /** What is sent again within ten minutes, as its answer was lost, is the same post. */
    async function create({ type, h = 'entry', properties, access_token: _, ...fields }) {
      if ((type ?? [`h-${h}`])[0] !== 'h-entry') throw invalid('only posts of the type h-entry are accepted');
      const lists = properties ? listsIn(properties) : Object.entries(fields);
      const stored = (value) => (value instanceof Blob ? assets.put(value).then(({ url }) => url) : value);
      const entries = lists.map(async ([name, all]) => [name, await Promise.all([all].flat().map(stored))]);
      const post = Object.fromEntries(await Promise.all(entries));

      const key = `sent ${hash('sha256', JSON.stringify(post))}`;
      const id = await storage.update(key, (known) => known ?? `micropub-${randomUUID()}`, {
        ttlMs: 600_000,
      });
      const { url, outcome } = await articles.receive({ ...articleOf(post), id });
      if (outcome === 'deleted') throw refusal(410, 'deleted', 'the owner has deleted this post');
      if ((await storage.get(`deleted ${id}`)) !== undefined) await restore({ url });
      return answer(201, {}, { Location: new URL(url).href });
    }

    async function update({ url, ...changes }) {
      const article = await articleAt(url);
      const post = withChanges(propertiesOf(article), changes);
      await articles.receive({ ...articleOf(post), id: article.id, base: article.revision });
      return answer(200, {});
    }

    async function remove({ url }) {
      const { id, state } = await articleAt(url);
      await storage.update(`deleted ${id}`, (before) => before ?? state);
      await articles.setState(id, 'held');
      return answer(200, {});
    }

    async function restore({ url }) {
      const { id, date } = await articleAt(url);
      const state = await storage.get(`deleted ${id}`);
      if (state === undefined) throw invalid('this post was not deleted');
      await articles.setState(id, state === 'held' ? 'held' : 'live', date);
      await storage.delete(`deleted ${id}`);
      return answer(200, {});
    }

    async function articleAt(url) {
      const article = await articles.find(String(url));
      if (article === undefined) throw invalid(`there is no post at ${url}`);
      if (article.id.startsWith('micropub-')) return article;
      throw refusal(403, 'forbidden', 'this did not come by Micropub');
    }
  },
});

function listsIn(properties = {}) {
  const lists = Object.entries(properties);
  if (lists.every(([, values]) => Array.isArray(values))) return lists;
  throw invalid('the values of a property must be a list');
}

/** The properties of a post after an update. */
function withChanges(before, { replace, add, delete: removed = {} }) {
  const post = { ...before, ...Object.fromEntries(listsIn(replace)) };
  for (const [name, values] of listsIn(add)) post[name] = [...(post[name] ?? []), ...values];
  if (Array.isArray(removed)) for (const name of removed) delete post[name];
  else
    for (const [name, values] of listsIn(removed)) {
      const isKept = (one) => !values.some((other) => isDeepStrictEqual(one, other));
      post[name] = post[name]?.filter(isKept) ?? [];
    }
  return post;
}

/** An article of a post. What has no field of an article is kept in the front matter. */
function articleOf(post) {
  const { name, content = [''], summary, category = [], published, 'post-status': status, ...others } = post;
  const { 'mp-slug': slug, url: _, ...more } = others;
  const { html } = Object(content[0]);
  if (typeof (html ?? content[0]) !== 'string') throw invalid('content must be a text or { html }');
  const text = [html ?? content[0], photosOf(more, html !== undefined)].filter(Boolean).join('\n\n');
  return {
    title: name?.[0] ?? titleOf(html ?? content[0]),
    contentHtml: html === undefined ? '' : text,
    markdown: html === undefined ? text : undefined,
    description: summary?.[0],
    tags: category,
    date: published?.[0],
    slug: slug?.[0],
    state: status?.[0] === 'draft' ? 'held' : 'live',
    source: { micropub: Object.fromEntries(Object.entries(more).filter(([key]) => !key.startsWith('mp-'))) },
  };
}

function propertiesOf({ url, title, body, contentHtml, description, tags, date, state, extra }) {
  const { micropub = {} } = extra;
  const isHtml = contentHtml === body;
  const photos = photosOf(micropub, isHtml);
  const whole = body.trimEnd();
  const text = whole.endsWith(photos) ? whole.slice(0, whole.length - photos.length).trimEnd() : whole;
  return {
    url: [url],
    ...(title === titleOf(text) ? {} : { name: [title] }),
    content: [isHtml ? { html: text } : text],
    ...(description === '' ? {} : { summary: [description] }),
    category: tags,
    published: [date],
    'post-status': [state === 'held' ? 'draft' : 'published'],
    ...micropub,
  };
}

function photosOf({ photo = [] }, isHtml) {
  const photos = photo.map((one) => {
    const { value = one, alt = '' } = Object(one);
    if (!/^https?:/i.test(value) || !URL.canParse(value)) throw invalid(`${value} is no address of a photo`);
    const { href } = new URL(value);
    const words = String(alt).replace(/[&<>"[\]\\]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    return isHtml ? `<img src="${href.replaceAll('&', '&amp;')}" alt="${words}">` : `![${words}](<${href}>)`;
  });
  return photos.join('\n\n');
}

/** What a post without a name is called. */
function titleOf(text) {
  const words = String(text)
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > 60 ? `${words.slice(0, 60).replace(/ \S*$/, '')} …` : words;
}
