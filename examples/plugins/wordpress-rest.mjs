// Takes posts from tools that publish to WordPress by its REST API. docs/services.md says how to connect them.
import { createHash } from 'node:crypto';
import { definePlugin, localTime, momentIn, sameSecret } from 'pressmark';

const SECRET = 'WORDPRESS_APPLICATION_PASSWORDS'; // name:password, several separated by commas
const DRAFTS = ['draft', 'pending'];
const HIDDEN = [...DRAFTS, 'private', 'trash'];
const STATUSES = ['publish', 'future', ...HIDDEN];
const CONTENT = ['title', 'content', 'excerpt', 'categories', 'tags', 'featured_media'];
const SAME_AS = { HEAD: 'GET', OPTIONS: 'GET', PUT: 'POST', PATCH: 'POST' };

export default definePlugin({
  name: 'wordpress-rest',
  version: '1.0.0',
  secrets: [SECRET],
  receiver({ articles, assets, storage, site, secrets, adapter, answer }) {
    const accounts = secrets[SECRET].split(',').map((one) => one.replace(/\s/g, ''));
    if (!accounts.every((one) => /^[^:]+:./.test(one))) throw new Error(`${SECRET} must be name:password`);
    const users = accounts.map((one, at) => ({ id: at + 1, name: one.split(':')[0], roles: ['author'] }));
    const routes = { '': index, posts, users: people, media, categories: terms, tags: terms };

    for (const path of ['/wp-json', '/index.php'])
      adapter({
        path,
        subpaths: true,
        methods: ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'],
        maxBytes: 10_000_000,
        verify: (request) => isIndex(request) || userOf(request) !== undefined,
        receive(payload, request) {
          const [kind, id, ...others] = routeOf(request);
          // What is below a post, such as its revisions, must not be taken for the post.
          if (!Object.hasOwn(routes, kind) || others.some(Boolean)) throw refusal(404, 'no_route');
          const params = { ...request.query, ...payload };
          return routes[kind]({ kind, id: id || undefined, params, method: methodOf(request), request });
        },
        errorBody({ status, code, message }) {
          return { code: `rest_${code.toLowerCase()}`, message, data: { status } };
        },
      });

    function userOf({ headers: { authorization = '' } }) {
      const given = Buffer.from(authorization.replace(/^basic /i, ''), 'base64')
        .toString()
        .replace(/\s/g, '');
      return users[accounts.findIndex((one) => sameSecret(given, one))];
    }

    function index({ request: { origin } }) {
      const Link = `<${origin}/wp-json/>; rel="https://api.w.org/"`;
      return answer(200, { name: site.url, url: site.url, home: origin, namespaces: ['wp/v2'] }, { Link });
    }

    function people({ id, params, method, request }) {
      if (method !== 'GET') throw refusal(405, 'cannot_change');
      if (id === undefined) return pageOf(users, params);
      return answer(200, existing(id === 'me' ? userOf(request) : users[id - 1]));
    }

    async function posts({ id, params, method, request }) {
      if (id === undefined && method === 'GET') return pageOf(await matching(params), params, postOf);
      if (id === undefined && method === 'POST') return answer(201, await create(params, userOf(request)));
      const article = existing(id && (await articles.get(`wp-${id}`)));
      if (method === 'GET') return answer(200, await postOf(article));
      if (method === 'POST') return answer(200, await save(article, params));
      const previous = await save(article, { status: 'trash' });
      return answer(200, String(params.force) === 'true' ? { deleted: true, previous } : previous);
    }

    /** What is sent again, as its answer was lost, is the same post. */
    async function create(params, { name: author }) {
      for (let n = numberOf(JSON.stringify(params)); ; n++) {
        const blank = { id: `wp-${n}`, title: '', body: '', author, tags: [] };
        const there = await articles.get(blank.id);
        if (there === undefined) return save(blank, { status: 'draft', ...params });
        const post = await postOf(there);
        if (there.title === textIn(params.title)?.trim() && post.status !== 'trash') return post;
      }
    }

    async function save({ id, state, date, revision, ...before }, { status, slug, ...params }) {
      if (status !== undefined && !STATUSES.includes(status)) throw refusal(400, 'invalid_param');
      const kept = (await storage.get(`post ${id}`)) ?? {};
      const given = dateIn(params, site.timeZone);
      const isHeld = status === undefined ? state === 'held' : HIDDEN.includes(status);
      // A draft gets its date when it is published, unless it was given one.
      const isUndated = state === 'held' && !isHeld && !kept.isDated && DRAFTS.includes(kept.status);
      const next = [isHeld ? 'held' : 'live', given ?? (isUndated ? new Date().toISOString() : date)];

      let isStored = false;
      if (state === undefined || CONTENT.some((name) => params[name] !== undefined)) {
        const shown = { state: next[0], date: next[1] };
        const content = { ...(await contentOf(params, before)), ...shown, id, slug, base: revision };
        const { outcome } = await articles.receive(content);
        if (outcome === 'deleted') throw refusal(410, 'post_deleted');
        isStored = outcome !== 'known';
      }
      if (!isStored && (status ?? given) !== undefined) await articles.setState(id, ...next);
      const isDated = given !== undefined || kept.isDated === true;
      await storage.set(`post ${id}`, { status: status ?? kept.status, isDated });
      return postOf(await articles.get(id));
    }

    async function contentOf(params, { author, keyword, ...before }) {
      const names = await namesByKind(before.tags);
      for (const kind of ['categories', 'tags'])
        if (params[kind] !== undefined)
          names[kind] = (await entriesAt(kind, params[kind])).map(({ name }) => name);
      const [image] = await entriesAt('media', params.featured_media);
      return {
        title: textIn(params.title) ?? before.title,
        contentHtml: (textIn(params.content) ?? before.body) || '<p></p>',
        description:
          textIn(params.excerpt)
            ?.replace(/<[^<>]*>/g, '')
            .trim() ?? before.description,
        image: image?.source_url ?? before.image,
        tags: [...names.categories, ...names.tags],
        author,
        keyword,
        source: { wordpress: params },
      };
    }

    async function postOf(article) {
      const { id, slug, url, date, title, body, description, image } = article;
      const names = await namesByKind(article.tags);
      const idsOf = async (kind) =>
        (await Promise.all(names[kind].map((name) => termOf(kind, name)))).map(({ id }) => id);
      const rendered = (raw) => ({ raw, rendered: raw });
      return {
        id: Number(id.slice(3)),
        type: 'post',
        status: await statusOf(article),
        slug,
        link: url,
        date: localTime(site.timeZone, date),
        date_gmt: localTime('UTC', date),
        title: rendered(title),
        content: rendered(body),
        excerpt: rendered(description),
        categories: await idsOf('categories'),
        tags: await idsOf('tags'),
        featured_media: image === null ? 0 : (await fileOf(image)).id,
      };
    }

    async function statusOf({ id, state }) {
      if (state === 'live') return 'publish';
      if (state === 'scheduled') return 'future';
      const { status } = (await storage.get(`post ${id}`)) ?? {};
      return HIDDEN.includes(status) ? status : 'pending';
    }

    async function matching({ status = 'publish', slug, search = '' }) {
      const all = (await articles.list({ limit: 1_000 })).filter(({ id }) => id.startsWith('wp-'));
      const statuses = await Promise.all(all.map(statusOf));
      const isAsked = (its) => listIn(status).includes(its) || (status === 'any' && its !== 'trash');
      const isWanted = (article, at) =>
        isAsked(statuses[at]) &&
        (slug === undefined || listIn(slug).includes(article.slug)) &&
        `${article.title} ${article.body}`.toLowerCase().includes(String(search).toLowerCase());
      return all.filter(isWanted).sort((one, other) => Date.parse(other.date) - Date.parse(one.date));
    }

    async function terms({ kind, id, params, method }) {
      if (method === 'DELETE' || (id !== undefined && method !== 'GET')) throw refusal(405, 'cannot_change');
      if (id !== undefined) return answer(200, existing(await storage.get(`${kind} ${id}`)));
      if (method === 'POST')
        return answer(201, await termOf(kind, existing(textIn(params.name)?.trim() || undefined)));
      const words = String(params.search ?? '').toLowerCase();
      return pageOf(
        (await entries(kind)).filter(({ name }) => name.toLowerCase().includes(words)),
        params,
      );
    }

    async function media({ id, params, method, request }) {
      if (method === 'DELETE') throw refusal(405, 'cannot_change');
      if (id !== undefined) return answer(200, existing(await storage.get(`media ${id}`)));
      if (method !== 'POST') return pageOf(await entries('media'), params);
      const { url, type } = await assets.put(params.file instanceof Blob ? params.file : request.body);
      return answer(201, await fileOf(url, type));
    }

    const termOf = (kind, name) =>
      entryOf(kind, name, {
        name,
        slug: name.toLowerCase().replace(/\s+/g, '-'),
        description: '',
        parent: 0,
      });

    const fileOf = (url, type = 'image') =>
      entryOf('media', url, { source_url: url, link: url, mime_type: type, media_type: type.split('/')[0] });

    /** Terms and media have numbers in WordPress. The same text has the same number. */
    async function entryOf(kind, text, fields) {
      for (let id = numberOf(text.toLowerCase()); ; id++) {
        const there = await storage.get(`${kind} ${id}`);
        const entry = there ?? { id, text: text.toLowerCase(), ...fields };
        if (there === undefined) await storage.set(`${kind} ${id}`, entry);
        if (entry.text === text.toLowerCase()) return entry;
      }
    }

    async function entriesAt(kind, ids) {
      const found = await Promise.all(listIn(ids).map((id) => storage.get(`${kind} ${id}`)));
      return found.filter((entry) => entry !== undefined);
    }

    async function entries(kind) {
      return Promise.all((await storage.keys(`${kind} `)).map((key) => storage.get(key)));
    }

    /** An article's tags as WordPress has them: categories are those that were made as such. */
    async function namesByKind(names) {
      const made = (await entries('categories')).map(({ text }) => text);
      const isCategory = (name) => made.includes(name.toLowerCase());
      return { categories: names.filter(isCategory), tags: names.filter((name) => !isCategory(name)) };
    }

    /** A part of a list, and how long the list is. */
    async function pageOf(all, { per_page: size, page }, show = (one) => one) {
      const [most, at] = [Math.min(Math.trunc(size) || 10, 100), Math.trunc(page) || 1];
      const pages = Math.ceil(all.length / most);
      if (most < 1 || at < 1 || (at > 1 && at > pages)) throw refusal(400, 'post_invalid_page_number');
      const headers = { 'X-WP-Total': `${all.length}`, 'X-WP-TotalPages': `${pages}` };
      return answer(200, await Promise.all(all.slice((at - 1) * most, at * most).map(show)), headers);
    }
  },
});

/** The kind and the number that a request asks for; `?rest_route=` is for sites without rewritten addresses. */
function routeOf({ path, query }) {
  const route = query.rest_route ?? path.replace(/^\/(?:wp-json|index\.php)/, '');
  return String(route)
    .replace(/^\/(?:wp\/v2)?\/?/, '')
    .split('/');
}

function isIndex(request) {
  return routeOf(request)[0] === '' && request.body.length === 0;
}

/** GET, POST or DELETE. Some tools send the method in a header, as their network knows only POST. */
function methodOf({ method, headers }) {
  const given = ((method === 'POST' && headers['x-http-method-override']) || method).toUpperCase();
  const same = Object.hasOwn(SAME_AS, given) ? SAME_AS[given] : given;
  if (!['GET', 'POST', 'DELETE'].includes(same)) throw refusal(405, 'no_such_method');
  return same;
}

function refusal(status, code) {
  return Object.assign(new Error(code.replaceAll('_', ' ')), { status, code, expose: true });
}

function existing(value) {
  if (value === undefined) throw refusal(404, 'invalid_id');
  return value;
}

/** A number of 31 bits, as some clients have no room for more. */
function numberOf(text) {
  return createHash('sha256').update(text).digest().readUInt32BE() >>> 1;
}

/** A text that may be sent as `{ raw }`; undefined where none is. */
function textIn(value) {
  const text = value?.raw ?? value?.rendered ?? value ?? undefined;
  if (typeof text === 'object') throw refusal(400, 'invalid_param');
  return text === undefined ? undefined : String(text);
}

/** A list that may be sent as a text with commas. */
function listIn(value) {
  return [value ?? []].flat().flatMap((one) => String(one).split(','));
}

/** When a post is to be published. `date` is in the site's time zone unless it says another. */
function dateIn({ date, date_gmt: gmt }, timeZone) {
  if (!date && !gmt) return undefined;
  const moment = date ? momentIn(timeZone, String(date)) : momentIn('UTC', String(gmt));
  if (moment === undefined) throw refusal(400, 'invalid_param');
  return moment;
}
