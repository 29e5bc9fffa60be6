// Takes posts from tools that publish to WordPress by its REST API. docs/services.md says how to connect them.
import { definePlugin, fieldsOf, formIn, sameSecret } from 'pressmark';
import {
  createLibrary,
  isMeant,
  known,
  listIn,
  momentIn,
  numberOf,
  refusal,
  routeOf,
  TABLES,
  textIn,
} from './_wordpress.mjs';

const SECRET = 'WORDPRESS_APPLICATION_PASSWORDS'; // name:password, several separated by commas
const SAME_AS = { HEAD: 'GET', OPTIONS: 'GET', PUT: 'POST', PATCH: 'POST' };
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
    const { terms, media, listed, contentOf, postOf } = createLibrary(host);
    const library = { media, categories: terms, tags: terms, types: table, statuses: table };
    const routes = { '': index, posts, users: people, ...library };
    const endpoint = {
      methods: ['GET', 'POST', 'DELETE', ...Object.keys(SAME_AS)],
      maxBytes: 10_000_000,
      verify: (request) =>
        (routeOf(request)[0] === '' && request.body.length === 0) || userOf(request) !== undefined,
      async parse(request) {
        const isJson = request.body.length > 0 && /json/i.test(request.headers['content-type']);
        return (await formIn(request)) ?? (isJson ? JSON.parse(request.body) : {});
      },
      receive(payload, request) {
        const [kind, id] = routeOf(request);
        if (!Object.hasOwn(routes, kind)) throw refusal(404, 'no_route');
        const method = request.headers['x-http-method-override'] ?? request.method;
        const params = { ...fieldsOf(request.query), ...payload };
        const call = { kind, id: id || undefined, params, method: SAME_AS[method] ?? method, request };
        return routes[kind](call);
      },
      errorBody: ({ status, code: name, message }) => {
        const code = `rest_${name.toLowerCase()}`;
        return { code, message, data: { status } };
      },
    };
    adapter({ ...endpoint, path: '/wp-json', subpaths: true });
    adapter({ ...endpoint, path: '/index.php' });

    function userOf({ headers: { authorization = '' } }) {
      const given = Buffer.from(authorization.replace(/^basic /i, ''), 'base64').toString();
      return users[accounts.findIndex((one) => sameSecret(given.replace(/\s/g, ''), one))];
    }

    function index({ request: { headers } }) {
      const home = `${headers['x-forwarded-proto'] ?? 'http'}://${headers.host}`;
      const Link = `<${home}/wp-json/>; rel="https://api.w.org/"`;
      return answer(200, { name: site.url, url: site.url, home, namespaces: ['wp/v2'] }, { Link });
    }

    function people({ id, params, request }) {
      if (id === undefined) return listed(users, params);
      return answer(200, known(id === 'me' ? userOf(request) : users[id - 1]));
    }

    function table({ kind, id }) {
      return answer(
        200,
        id === undefined ? TABLES[kind] : known(new Map(Object.entries(TABLES[kind])).get(id)),
      );
    }

    async function posts({ id, params, method, request }) {
      if (id === undefined && method === 'GET') return listed(await matching(params), params, shown);
      if (id === undefined) return answer(201, await created(params, userOf(request)));
      const article = known(await articles.get(`wp-${id}`));
      if (method === 'GET') return answer(200, await shown(article));
      if (method === 'POST') return answer(200, await saved(params, article));
      const previous = await saved({ status: 'trash' }, article);
      return answer(200, String(params.force) === 'true' ? { deleted: true, previous } : previous);
    }

    /** What is sent again, as its answer was lost, is the same post. */
    async function created(params, { name: author }) {
      for (let n = numberOf(JSON.stringify(params)); ; n++) {
        const there = await articles.get(`wp-${n}`);
        const blank = { id: `wp-${n}`, title: '', body: '', author, tags: [] };
        if (there === undefined) return saved({ status: 'draft', ...params }, blank);
        if (there.title === textIn(params.title)?.trim() && (await statusOf(there)) !== 'trash')
          return shown(there);
      }
    }

    async function saved({ status, slug, ...params }, { id, state, date, revision, ...before }) {
      const isHidden = HIDDEN.includes(status);
      const isShown = SHOWN.includes(status);
      if (status !== undefined && !isHidden && !isShown) throw refusal(400, 'invalid_param');
      const given = momentIn(params, site.timeZone);
      const was = await storage.get(`status ${id}`);
      if (status !== undefined) await storage.set(`status ${id}`, status);
      const isHeldNow = isHidden && state !== undefined && state !== 'held';
      const base = isHeldNow ? (await articles.setState(id, 'held')).revision : revision;
      if (state === undefined || CONTENT.some((name) => params[name] !== undefined)) {
        const isNew = { id, slug, date: given, state: isHidden ? 'held' : 'live' };
        await articles.receive({ ...(await contentOf(params, before)), ...isNew, base });
      }
      if (state !== undefined && (isShown || (given && state !== 'held'))) {
        const now = new Date().toISOString();
        // A draft has no date before it is published, unless that is to come.
        const at = given ?? (['draft', 'pending'].includes(was) && date < now ? now : date);
        const next = Date.parse(at) > Date.now() ? 'scheduled' : 'live';
        if (next !== state || (given && next === 'scheduled')) await articles.setState(id, next, at);
      }
      return shown(await articles.get(id));
    }

    async function statusOf({ id, state }) {
      if (state === 'live') return 'publish';
      if (state === 'scheduled') return 'future';
      const asked = await storage.get(`status ${id}`);
      return HIDDEN.includes(asked) ? asked : 'pending';
    }

    async function shown(article) {
      return postOf(article, await statusOf(article));
    }

    async function matching(params) {
      const wanted = listIn(params.status ?? 'publish');
      const own = (await articles.list({ limit: 1_000 })).filter(({ id }) => id.startsWith('wp-'));
      own.sort((one, other) => Date.parse(other.date) - Date.parse(one.date));
      const statuses = await Promise.all(own.map(statusOf));
      const hasStatus = (status) => wanted.includes(status) || (wanted.includes('any') && status !== 'trash');
      return own.filter(
        ({ slug, title, body }, at) =>
          hasStatus(statuses[at]) && isMeant({ slug, text: `${title} ${body}` }, params),
      );
    }
  },
});
