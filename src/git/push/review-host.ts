import { messageOf, PressmarkError } from '../../errors.js';

/** The hosts on which Pressmark can open pull requests. */
export const REVIEW_HOSTS = ['github', 'gitlab', 'gitea'] as const;
export type ReviewHostKind = (typeof REVIEW_HOSTS)[number];

/** A pull request; at GitLab it is called a merge request. */
export interface PullRequest {
  readonly number: number;
  /** Its page, for people. */
  readonly url: string;
  readonly isOpen: boolean;
  readonly title: string;
  readonly body: string;
  /** The last commit of its branch. */
  readonly commit: string;
}

/** The text of a pull request. */
export type PullRequestText = Pick<PullRequest, 'title' | 'body'>;

/** The branches of a pull request, without `refs/heads/`. */
export interface Branches {
  readonly head: string;
  /** The branch to merge into. */
  readonly base: string;
}

/** The differences between the APIs of hosts. */
interface HostApi {
  readonly name: string;
  /** @param origin the origin of the host's web pages. */
  api(origin: string): string;
  headers(token: string): Record<string, string>;
  /** The path of the repository's pull requests, below the API. */
  path(project: string): string;
  /** The query parameters for a list. */
  query(branches: Branches, project: string): Record<string, string>;
  readonly editMethod: 'PATCH' | 'PUT';
  /** The names of fields in a request. */
  readonly fields: Readonly<Record<keyof PullRequestText | keyof Branches, string>>;
  /** The paths of fields in an answer. Anyone can open a pull request from a fork; its `head` names another repository. */
  readonly answer: Readonly<Record<AnswerField, string>>;
  readonly openState: string;
}

type AnswerField =
  | Exclude<keyof PullRequest, 'isOpen'>
  | keyof Branches
  | 'state'
  | 'headRepository'
  | 'baseRepository';

/** How many pull requests are on one page of a list, and how many pages are read. */
const [PAGE_SIZE, MOST_PAGES] = [50, 20];

/** The common parts of GitHub's API and Gitea's, which follows it. */
const LIKE_GITHUB = {
  path: (project: string) => `/repos/${project}/pulls`,
  editMethod: 'PATCH',
  fields: { title: 'title', body: 'body', head: 'head', base: 'base' },
  openState: 'open',
} as const;

const LIKE_GITHUB_ANSWER = {
  number: 'number',
  url: 'html_url',
  state: 'state',
  title: 'title',
  body: 'body',
  commit: 'head.sha',
};

/** The hosts' documented APIs. */
const HOSTS: Readonly<Record<ReviewHostKind, HostApi>> = {
  github: {
    ...LIKE_GITHUB,
    name: 'GitHub',
    api: (origin) =>
      /^https:\/\/(?:www\.|ssh\.)?github\.com$/i.test(origin) ? 'https://api.github.com' : `${origin}/api/v3`,
    headers: (token) => ({
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    }),
    query: ({ head, base }, project) => ({
      state: 'all',
      head: `${project.split('/', 1)[0]}:${head}`,
      base,
      sort: 'created',
      direction: 'desc',
      per_page: String(PAGE_SIZE),
    }),
    answer: {
      ...LIKE_GITHUB_ANSWER,
      head: 'head.ref',
      base: 'base.ref',
      headRepository: 'head.repo.id',
      baseRepository: 'base.repo.id',
    },
  },
  gitlab: {
    name: 'GitLab',
    api: (origin) => `${origin}/api/v4`,
    headers: (token) => ({ accept: 'application/json', 'private-token': token }),
    path: (project) => `/projects/${encodeURIComponent(project)}/merge_requests`,
    query: ({ head, base }) => ({
      state: 'all',
      source_branch: head,
      target_branch: base,
      order_by: 'created_at',
      sort: 'desc',
      per_page: String(PAGE_SIZE),
    }),
    editMethod: 'PUT',
    fields: { title: 'title', body: 'description', head: 'source_branch', base: 'target_branch' },
    answer: {
      number: 'iid',
      url: 'web_url',
      state: 'state',
      title: 'title',
      body: 'description',
      commit: 'sha',
      head: 'source_branch',
      base: 'target_branch',
      headRepository: 'source_project_id',
      baseRepository: 'target_project_id',
    },
    openState: 'opened',
  },
  gitea: {
    ...LIKE_GITHUB,
    name: 'Gitea',
    api: (origin) => `${origin}/api/v1`,
    headers: (token) => ({ accept: 'application/json', authorization: `token ${token}` }),
    // Gitea cannot limit a list to a branch.
    query: () => ({ state: 'all', sort: 'recentupdate', limit: String(PAGE_SIZE) }),
    answer: {
      ...LIKE_GITHUB_ANSWER,
      // `ref` differs if the branch was deleted
      head: 'head.label',
      base: 'base.label',
      headRepository: 'head.repo_id',
      baseRepository: 'base.repo_id',
    },
  },
};

/** The pull requests of one repository; see `createReviewHost`. */
export type ReviewHost = ReturnType<typeof createReviewHost>;

export interface ReviewHostOptions {
  readonly kind: ReviewHostKind;
  /** The URL of the remote, from git. */
  readonly remoteUrl: string;
  /** The URL of the REST API. @default the API of the host in the remote's URL */
  readonly api?: string | undefined;
  /** A token that may read and write pull requests. */
  readonly token: string | undefined;
  readonly signal?: AbortSignal;
}

/** How long one request may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** The longest part of a host's message that is reported, in characters. */
const MOST_WORDS = 300;

/**
 * Accesses the pull requests of a remote's repository by the host's REST API.
 *
 * @throws PressmarkError CONFIG_INVALID if the API, the repository or the token is unknown. The functions throw
 *   REMOTE_UNAVAILABLE.
 */
export function createReviewHost({ kind, remoteUrl, token, signal, ...options }: ReviewHostOptions) {
  const host = HOSTS[kind];
  const { name, fields } = host;
  const api = (options.api ?? apiOf(host, remoteUrl)).replace(/\/+$/, '');
  const project = projectOf(remoteUrl, kind, api);
  const secret = tokenFor(api, token);
  const pulls = `${api}${host.path(project)}`;

  async function ask(method: string, url: string, body?: Record<string, string>): Promise<unknown> {
    const limits = [AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])];
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        headers: { 'user-agent': 'pressmark', 'content-type': 'application/json', ...host.headers(secret) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual', // the token is for this host alone
        signal: AbortSignal.any(limits),
      });
      text = await response.text();
    } catch (error) {
      const { cause } = error as Error;
      throw failed(`did not answer: ${hidden(messageOf(cause ?? error))}`);
    }
    const answer = parsed(text);
    if (response.ok) return answer;
    const said = hidden(reasonIn(answer));
    throw failed(
      `answered ${response.status}${said === '' ? '' : `: ${said}`}${adviceFor(response.status, project)}`,
    );
  }

  function failed(what: string): PressmarkError {
    return new PressmarkError('REMOTE_UNAVAILABLE', `${name} ${what}`);
  }

  function unexpected(): PressmarkError {
    return failed('answered with something other than a pull request; check git.push.api');
  }

  /** Removes the token from a host's message, which may be logged. */
  function hidden(text: string): string {
    return text.replaceAll(secret, '***').replace(/\s+/g, ' ').slice(0, MOST_WORDS);
  }

  /** @returns undefined for a pull request from a fork, or between other branches. */
  function read(answer: unknown, { head, base }: Branches): PullRequest | undefined {
    const at = (field: AnswerField): unknown =>
      host.answer[field].split('.').reduce<unknown>((value, key) => Object(value)[key], answer);
    const [number, url, state, title] = [at('number'), at('url'), at('state'), at('title')];
    if (typeof number !== 'number' || typeof url !== 'string' || typeof title !== 'string')
      throw unexpected();
    const isFork = at('baseRepository') === undefined || at('headRepository') !== at('baseRepository');
    if (isFork || at('head') !== head || at('base') !== base) return undefined;
    const [body, commit] = [String(at('body') ?? ''), String(at('commit') ?? '')];
    return { number, url, isOpen: state === host.openState, title, body, commit };
  }

  /** Finds the open pull request between two branches, or else the newest one; undefined if there is none. */
  async function newest(branches: Branches): Promise<PullRequest | undefined> {
    let latest: PullRequest | undefined;
    for (let page = 1; page <= MOST_PAGES; page++) {
      const query = new URLSearchParams({ ...host.query(branches, project), page: String(page) });
      const list = await ask('GET', `${pulls}?${query}`);
      if (!Array.isArray(list)) throw unexpected();
      for (const one of list) {
        const found = read(one, branches);
        if (found?.isOpen) return found;
        if (found !== undefined && found.number > (latest?.number ?? 0)) latest = found;
      }
      if (list.length < PAGE_SIZE) break;
    }
    return latest;
  }

  async function create({ head, base }: Branches, text: PullRequestText): Promise<PullRequest> {
    const body = { [fields.head]: head, [fields.base]: base, ...fieldsOf(text) };
    const made = read(await ask('POST', pulls, body), { head, base });
    if (made === undefined) throw unexpected();
    return made;
  }

  async function update(number: number, text: PullRequestText): Promise<void> {
    await ask(host.editMethod, `${pulls}/${number}`, fieldsOf(text));
  }

  function fieldsOf({ title, body }: PullRequestText): Record<string, string> {
    return { [fields.title]: title, [fields.body]: body };
  }

  return { newest, create, update };
}

/** Parses JSON; undefined for other text, such as an HTML page. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the message in an error answer: `message` (a text, a list or an object of lists) and GitHub's `errors`. */
function reasonIn(answer: unknown): string {
  const { message, errors, error } = Object(answer);
  const details = Array.isArray(errors) ? errors.map((one) => one?.message ?? '').filter(Boolean) : [];
  return [message ?? error ?? '', ...details]
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join('; ');
}

/** Returns advice about an error status, as the end of a sentence. */
function adviceFor(status: number, project: string): string {
  if ([401, 403, 404].includes(status))
    return `; is PRESSMARK_GIT_TOKEN valid, and may it write pull requests of ${project}?`;
  const isRedirect = status >= 300 && status < 400;
  return isRedirect ? `; if ${project} has moved, change the URL of the remote, or git.push.api` : '';
}

function apiOf(host: HostApi, remoteUrl: string): string {
  const { origin } = partsOf(remoteUrl);
  if (origin !== undefined) return host.api(origin);
  throw invalid(`git.push.api must be set: the URL of the remote does not say where ${host.name} is`);
}

/** Returns the origin of a remote's web pages, and the repository's path there; no origin if the URL is a local path. */
function partsOf(remoteUrl: string): { readonly origin?: string; readonly path: string } {
  // `git@host:path` is another form of `ssh://git@host/path`.
  const [, host, rest] = /^(?:[^@/]*@)?([^/:]{2,}):(?!\/\/)(.*)$/.exec(remoteUrl) ?? [];
  const url = host === undefined ? remoteUrl : `ssh://${host}/${rest}`;
  if (!URL.canParse(url)) return { path: remoteUrl };
  const { protocol, origin, hostname, pathname: path } = new URL(url);
  if (hostname === '') return { path };
  return { origin: /^https?:$/.test(protocol) ? origin : `https://${hostname}`, path };
}

/** Returns `owner/name`, or at GitLab the path with all groups. */
function projectOf(remoteUrl: string, kind: ReviewHostKind, api: string): string {
  const { origin, path } = partsOf(remoteUrl);
  const project = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  // GitLab may be installed below a path.
  const above = new URL(api).pathname.slice(1).replace(/api\/v4$/, '');
  const names = (project.startsWith(above) ? project.slice(above.length) : project).split('/');
  const own = kind === 'gitlab' && origin !== undefined ? names : names.slice(-2);
  if (own.length < 2 || own.includes(''))
    throw invalid('the URL of the remote names no repository of an owner; git.push.pullRequest needs one');
  return own.map(decodeURIComponent).join('/');
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function tokenFor(api: string, token: string | undefined): string {
  if (token === undefined)
    throw invalid('PRESSMARK_GIT_TOKEN is not set; put a token that may write pull requests into .env');
  const { protocol, hostname } = new URL(api);
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    throw invalid(
      'git.push.api begins with http://, which would send PRESSMARK_GIT_TOKEN readable to others; use https://',
    );
  if (!/^[\x21-\x7e]+$/.test(token))
    throw invalid('PRESSMARK_GIT_TOKEN holds characters that no token has; copy it again');
  return token;
}

function invalid(message: string): PressmarkError {
  return new PressmarkError('CONFIG_INVALID', message);
}
