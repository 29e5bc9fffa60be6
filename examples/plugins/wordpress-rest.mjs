// Takes posts from tools that publish to WordPress by its REST API. docs/services.md says how to connect them.
import { definePlugin, fieldsOf, formIn, sameSecret } from 'pressmark';
import {
  createLibrary,
  errorBody,
  existing,
  listIn,
  matches,
  methodOf,
  momentIn,
  numberOf,
  originOf,
  refusal,
  routeOf,
  textIn,
} from './_wordpress.mjs';

const SECRET = 'WORDPRESS_APPLICATION_PASSWORDS'; // name:password, several separated by commas
const SHOWN = ['publish', 'future'];
const HIDDEN = ['draft', 'pending', 'private', 'trash'];
const CONTENT = ['title', 'content', 'excerpt', 'categories', 'tags', 'featured_media'];

export default definePlugin({
  name: 'wordpress-rest',
  version: '1.0.0',
  secrets: [SECRET],
  receiver(host) {
    const { articles, storage, site, secrets, adapter, answer } = host;
    const accounts = secrets[SECRET].split(',').map((one) => one.replace(/\s/g, ''));
    if (!accounts.every((one) => /^[^:]+:./.test(one))) throw new Error(`${SECRET} must be name:password`);
    const users = accounts.map((one, at) => ({ id: at + 1, name: one.split(':')[0], roles: ['author'] }));
    const { library, pageOf, contentOf, postOf } = createLibrary(host);
    const routes = { '': index, posts, users: people, ...library };
    const endpoint = {
      methods: ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'],
      maxBytes: 10_000_000,
      verify: (request) =>
        (routeOf(request)[0] === '' && request.body.length === 0) || userOf(request) !== undefined,
      async parse(request) {
        const isJson = request.body.length > 0 && /json/i.test(request.headers['content-type']);
        return (await formIn(request)) ?? (isJson ? JSON.parse(request.body) : {});
      },
      receive(payload, request) {
        const [kind, id, ...others] = routeOf(request);
        // What is below a post, such as its revisions, must not be taken for the post.
        if (!Object.hasOwn(routes, kind) || others.some(Boolean)) throw refusal(404, 'no_route');
        const params = { ...fieldsOf(request.query), ...payload };
        return routes[kind]({ kind, id: id || undefined, params, method: methodOf(request), request });
      },
      errorBody,
    };
    adapter({ ...endpoint, path: '/wp-json', subpaths: true });
    adapter({ ...endpoint, path: '/index.php' });

    function userOf({ headers: { authorization = '' } }) {
      const given = Buffer.from(authorization.replace(/^basic /i, ''), 'base64').toString();
      return users[accounts.findIndex((one) => sameSecret(given.replace(/\s/g, ''), one))];
    }

    function index({ request: { headers } }) {
      const home = originOf(headers);
      const Link = `<${home}/wp-json/>; rel="https://api.w.org/"`;
      return answer(200, { name: site.url, url: site.url, home, namespaces: ['wp/v2'] }, { Link });
    }

    function people({ id, params, method, request }) {
      if (method !== 'GET') throw refusal(405, 'cannot_change');
      if (id === undefined) return pageOf(users, params);
      return answer(200, existing(id === 'me' ? userOf(request) : users[id - 1]));
    }

    async function posts({ id, params, method, request }) {
      if (id === undefined && method === 'GET') return pageOf(await matching(params), params, postFor);
      if (id === undefined && method === 'POST') return answer(201, await create(params, userOf(request)));
      const article = existing(id && (await articles.get(`wp-${id}`)));
      if (method === 'GET') return answer(200, await postFor(article));
      if (method === 'POST') return answer(200, await save(params, article));
      const previous = await save({ status: 'trash' }, article);
      return answer(200, String(params.force) === 'true' ? { deleted: true, previous } : previous);
    }

    /** What is sent again, as its answer was lost, is the same post. */
    async function create(params, { name: author }) {
      for (let n = numberOf(JSON.stringify(params)); ; n++) {
        const there = await articles.get(`wp-${n}`);
        const blank = { id: `wp-${n}`, title: '', body: '', author, tags: [] };
        if (there === undefined) return save({ status: 'draft', ...params }, blank);
        if (there.title === textIn(params.title)?.trim() && (await statusOf(there)) !== 'trash')
          return postFor(there);
      }
    }

    async function save({ status, slug, ...params }, { id, state, date, revision, ...before }) {
      const isHidden = HIDDEN.includes(status);
      const isShown = SHOWN.includes(status);
      if (status !== undefined && !isHidden && !isShown) throw refusal(400, 'invalid_param');
      const given = momentIn(params, site.timeZone);
      const hides = isHidden && state !== undefined && state !== 'held';
      // Before the text, which may not be for the public.
      const base = hides ? (await articles.setState(id, 'held')).revision : revision;
      if (state === undefined || CONTENT.some((name) => params[name] !== undefined)) {
        const isNew = { id, slug, date: given, state: isHidden ? 'held' : 'live' };
        try {
          const draft = { ...(await contentOf(params, before)), ...isNew, base };
          if ((await articles.receive(draft)).outcome === 'deleted') throw refusal(410, 'post_deleted');
        } catch (error) {
          if (hides) await articles.setState(id, state, date);
          throw error;
        }
      }
      if (isHidden || (state === 'held' && !isShown)) {
        if (given) await storage.set(`date ${id}`, given);
      } else if (state !== undefined && (isShown || given)) {
        const asked = given ?? (await storage.get(`date ${id}`));
        // A draft has no date before it is published, unless it was given one or that is to come.
        const isDraft = state === 'held' && ['draft', 'pending'].includes(await storage.get(`status ${id}`));
        const at = asked ?? (isDraft && Date.parse(date) < Date.now() ? new Date().toISOString() : date);
        const next = Date.parse(at) > Date.now() ? 'scheduled' : 'live';
        if (next !== state || Date.parse(at) !== Date.parse(date)) await articles.setState(id, next, at);
        await storage.delete(`date ${id}`);
      }
      if (status !== undefined) await storage.set(`status ${id}`, status);
      return postFor(await articles.get(id));
    }

    async function statusOf({ id, state }) {
      if (state === 'live') return 'publish';
      if (state === 'scheduled') return 'future';
      const asked = await storage.get(`status ${id}`);
      return HIDDEN.includes(asked) ? asked : 'pending';
    }

    async function postFor(article) {
      const date = (article.state === 'held' && (await storage.get(`date ${article.id}`))) || article.date;
      return postOf({ ...article, date }, await statusOf(article));
    }

    async function matching(params) {
      const wanted = listIn(params.status ?? 'publish');
      const posts = (await articles.list({ limit: 1_000 })).filter(({ id }) => id.startsWith('wp-'));
      posts.sort((one, other) => Date.parse(other.date) - Date.parse(one.date));
      const statuses = await Promise.all(posts.map(statusOf));
      const hasStatus = (status) => wanted.includes(status) || (wanted.includes('any') && status !== 'trash');
      return posts.filter(
        ({ slug, title, body }, at) =>
          hasStatus(statuses[at]) && matches({ slug, text: `${title} ${body}` }, params),
      );
    }
  },
});
