// What WordPress calls things and how it writes them; for wordpress-rest.mjs, and no plugin itself.
import { createHash } from 'node:crypto';

/** The kind and the number that a request asks for; `?rest_route=` is for sites without rewritten addresses. */
export function routeOf({ path, query }) {
  const route = query.get('rest_route') ?? path.replace(/^\/(?:wp-json|index\.php)/, '');
  return route.replace(/^\/(?:wp\/v2)?\/?/, '').split('/');
}

const SAME_AS = { HEAD: 'GET', OPTIONS: 'GET', PUT: 'POST', PATCH: 'POST' };

/** GET, POST or DELETE. Some tools send the method in a header, as their network knows only POST. */
export function methodOf({ method, headers }) {
  const given = ((method === 'POST' && headers['x-http-method-override']) || method).toUpperCase();
  const same = Object.hasOwn(SAME_AS, given) ? SAME_AS[given] : given;
  if (!['GET', 'POST', 'DELETE'].includes(same)) throw refusal(405, 'no_such_method');
  return same;
}

export function refusal(status, code) {
  return Object.assign(new Error(code.replaceAll('_', ' ')), { status, code, expose: true });
}

export function errorBody({ status, code, message }) {
  return { code: `rest_${code.toLowerCase()}`, message, data: { status } };
}

/** The address that a request came to: HTTPS but on this machine, as a password must not travel in clear text. */
export function originOf({ host }) {
  return `${/^(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(host) ? 'http' : 'https'}://${host}`;
}

/** @throws a 404 where there is none. */
export function existing(value) {
  if (value === undefined) throw refusal(404, 'invalid_id');
  return value;
}

/** A number of 31 bits, as some clients have no room for more. */
export function numberOf(text) {
  return createHash('sha256').update(text).digest().readUInt32BE() >>> 1;
}

/** A text that may be sent as `{ raw }`; undefined where none is. */
export function textIn(value) {
  const text = value?.raw ?? value?.rendered ?? value ?? undefined;
  if (typeof text === 'object') throw refusal(400, 'invalid_param');
  return text === undefined ? undefined : String(text);
}

/** A list that may be sent as a text with commas. */
export function listIn(value) {
  return [value ?? []].flat().flatMap((one) => String(one).split(','));
}

/** When a post is to be published, ISO 8601. `date` is in the site's time zone unless it says another. */
export function momentIn({ date, date_gmt: gmt }, timeZone) {
  if (!date && !gmt) return undefined;
  const text = date ? String(date) : `${gmt}Z`.replace('ZZ', 'Z');
  const isZoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const wall = Date.parse(isZoned ? text : `${text}Z`);
  if (Number.isNaN(wall)) throw refusal(400, 'invalid_param');
  let at = wall;
  if (!isZoned) for (let n = 0; n < 2; n++) at = wall - (Date.parse(`${local(at, timeZone)}Z`) - at);
  return new Date(at).toISOString();
}

function local(moment, timeZone) {
  return new Date(moment).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T');
}

/** Whether an entry has the slugs and the words that are asked for. */
export function matches({ slug, text }, { slug: slugs, search = '' }) {
  const isSlug = slugs === undefined || listIn(slugs).includes(slug);
  return isSlug && text.toLowerCase().includes(String(search).toLowerCase());
}

/** What there is of types and statuses; these never change. */
const TABLES = {
  types: { post: { slug: 'post', name: 'Posts', rest_base: 'posts', taxonomies: ['category', 'post_tag'] } },
  statuses: Object.fromEntries(
    ['publish', 'future', 'draft', 'pending', 'private'].map((slug) => [slug, { slug, name: slug }]),
  ),
};

const textOf = (raw) => ({ raw, rendered: raw });

function termOf({ id, text: name }) {
  return { id, name, slug: name.toLowerCase().replace(/\s+/g, '-'), description: '', parent: 0 };
}

const MEDIA_TEXTS = ['title', 'alt_text', 'caption', 'description'];

function mediaOf({ id, text: url, type, title = '', alt_text = '', caption = '', description = '' }) {
  const media_type = type?.startsWith('image/') ? 'image' : 'file';
  const texts = {
    title: textOf(title),
    alt_text,
    caption: textOf(caption),
    description: textOf(description),
  };
  const links = { source_url: url, link: url, guid: textOf(url) };
  return { id, type: 'attachment', media_type, mime_type: type, ...links, ...texts };
}

/** Terms and media, which have numbers in WordPress. The same text has the same number. */
export function createLibrary({ storage, assets, site, answer }) {
  async function entryOf(kind, text, more = {}) {
    for (let id = numberOf(text.toLowerCase()); ; id++) {
      const entry = (await storage.get(`${kind} ${id}`)) ?? { id, text, ...more, isNew: true };
      if (entry.isNew) await storage.set(`${kind} ${id}`, { id, text, ...more });
      if (entry.text.toLowerCase() === text.toLowerCase()) return entry;
    }
  }

  async function textsAt(kind, ids) {
    const entries = await Promise.all(listIn(ids).map((id) => storage.get(`${kind} ${id}`)));
    return entries.flatMap((entry) => entry?.text ?? []);
  }

  async function entries(kind) {
    return Promise.all((await storage.keys(`${kind} `)).map((key) => storage.get(key)));
  }

  async function terms({ kind, id, params, method }) {
    if (method === 'DELETE' || (id !== undefined && method !== 'GET')) throw refusal(405, 'cannot_change');
    if (id !== undefined) return answer(200, termOf(existing(await storage.get(`${kind} ${id}`))));
    const name = textIn(params.name)?.trim();
    if (method === 'POST') return answer(201, termOf(await entryOf(kind, existing(name || undefined))));
    const all = (await entries(kind)).map(termOf);
    return pageOf(
      all.filter(({ slug, name: text }) => matches({ slug, text }, params)),
      params,
    );
  }

  function table({ kind, id, method }) {
    if (method !== 'GET') throw refusal(405, 'cannot_change');
    const all = TABLES[kind];
    return answer(200, id === undefined ? all : existing(Object.hasOwn(all, id) ? all[id] : undefined));
  }

  async function media({ id, params, method, request }) {
    if (method === 'DELETE') throw refusal(405, 'cannot_change');
    const entry = id && existing(await storage.get(`media ${id}`));
    if (entry && method === 'POST') {
      const given = MEDIA_TEXTS.filter((name) => params[name] !== undefined);
      for (const name of given) entry[name] = textIn(params[name]);
      await storage.set(`media ${id}`, entry);
    }
    if (entry) return answer(200, mediaOf(entry));
    if (method !== 'POST') return pageOf((await entries('media')).map(mediaOf), params);
    const file = params.file instanceof Blob ? params.file : new Blob([request.body]);
    const { url, type } = await assets.put(new Uint8Array(await file.arrayBuffer()));
    return answer(201, mediaOf(await entryOf('media', url, { type })));
  }

  /** A part of a list, and how long the list is. */
  async function pageOf(all, { per_page: size, page }, show = (one) => one) {
    const [most, at] = [Math.min(Math.trunc(size) || 10, 100), Math.trunc(page) || 1];
    const pages = Math.ceil(all.length / most);
    if (most < 1 || at < 1 || (at > 1 && at > pages)) throw refusal(400, 'post_invalid_page_number');
    const part = await Promise.all(all.slice((at - 1) * most, at * most).map(show));
    return answer(200, part, { 'X-WP-Total': `${all.length}`, 'X-WP-TotalPages': `${pages}` });
  }

  /** An article's tags as WordPress has them: categories are those that were made as such. */
  async function namesByKind(names) {
    const made = (await entries('categories')).map(({ text }) => text.toLowerCase());
    const isCategory = (name) => made.includes(name.toLowerCase());
    return { categories: names.filter(isCategory), tags: names.filter((name) => !isCategory(name)) };
  }

  /** What a post says, upon what is there. */
  async function contentOf(params, { author, keyword, ...before }) {
    const names = await namesByKind(before.tags);
    for (const kind of ['categories', 'tags'])
      if (params[kind] !== undefined) names[kind] = await textsAt(kind, params[kind]);
    const title = textIn(params.title) ?? before.title;
    const contentHtml = (textIn(params.content) ?? before.body) || '<p></p>';
    const description =
      textIn(params.excerpt)
        ?.replace(/<[^<>]*>/g, '')
        .trim() ?? before.description;
    const image = (await textsAt('media', params.featured_media))[0] ?? before.image;
    const tags = [...names.categories, ...names.tags];
    return { title, contentHtml, description, image, tags, author, keyword, source: { wordpress: params } };
  }

  async function postOf(article, status) {
    const { id, slug, url, date, updated, title, body, description, image } = article;
    const names = await namesByKind(article.tags);
    const idsOf = (kind) => Promise.all(names[kind].map(async (name) => (await entryOf(kind, name)).id));
    const numbers = {
      id: Number(id.slice(3)),
      author: 1,
      categories: await idsOf('categories'),
      tags: await idsOf('tags'),
    };
    const featured_media = image ? (await entryOf('media', image)).id : 0;
    const words = {
      title: textOf(title),
      content: textOf(body),
      excerpt: textOf(description),
      guid: textOf(url),
    };
    const dates = { date: local(date, site.timeZone), date_gmt: local(date, 'UTC') };
    const modified = local(updated ?? date, site.timeZone);
    return {
      ...numbers,
      ...words,
      ...dates,
      modified,
      type: 'post',
      status,
      slug,
      link: url,
      featured_media,
    };
  }

  const library = { media, categories: terms, tags: terms, types: table, statuses: table };
  return { library, pageOf, contentOf, postOf };
}
