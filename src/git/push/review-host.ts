import { messageOf, PressmarkError } from '../../errors.js';
import {
  type Branches,
  DIALECTS,
  type Dialect,
  PAGE_SIZE,
  type PullRequest,
  type PullRequestText,
  type ReviewHostKind,
} from './review-dialects.js';

/** The pull requests of one repository; see `createReviewHost`. */
export type ReviewHost = ReturnType<typeof createReviewHost>;

/** Thrown where the host did not do what was asked. */
export class ReviewHostError extends PressmarkError {
  /**
   * @param answered the HTTP status; 0 if there is no answer.
   * @param retryAfterMs when the host wants to be asked again, in milliseconds from now.
   */
  constructor(
    message: string,
    readonly answered: number,
    readonly retryAfterMs = 0,
  ) {
    super('REMOTE_UNAVAILABLE', message);
  }

  /** Whether there may be such a pull request already: 422 at GitHub, 409 at GitLab and Gitea. */
  get isConflict(): boolean {
    return this.answered === 409 || this.answered === 422;
  }
}

export interface ReviewHostOptions {
  readonly kind: ReviewHostKind;
  /** The URL of the remote, as git has it. */
  readonly remoteUrl: string;
  /** The URL of the REST API. @default that of the host in the remote's URL */
  readonly api?: string | undefined;
  /** A token that may read and write pull requests. */
  readonly token: string | undefined;
  readonly signal?: AbortSignal;
}

/** How long one request may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** How many pages are looked through. */
const MOST_PAGES = 20;

/** How much of a host's own words is repeated, in characters. */
const MOST_WORDS = 300;

/**
 * The pull requests of the repository that a remote's URL names, by the host's REST API.
 *
 * @throws PressmarkError CONFIG_INVALID if the API, the repository or the token is not known.
 */
export function createReviewHost({ kind, remoteUrl, token, signal, ...options }: ReviewHostOptions) {
  const dialect = DIALECTS[kind];
  const { name } = dialect;
  const api = (options.api ?? apiOf(dialect, remoteUrl)).replace(/\/+$/, '');
  const project = projectOf(remoteUrl, kind, api);
  const secret = tokenFor(api, token);
  const pulls = `${api}${dialect.path(project)}`;

  async function ask(method: string, url: string, fields?: Record<string, string>): Promise<unknown> {
    const limits = [AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])];
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        headers: {
          'user-agent': 'pressmark',
          'content-type': 'application/json',
          ...dialect.headers(secret),
        },
        ...(fields !== undefined && { body: JSON.stringify(fields) }),
        redirect: 'manual', // the token is for this host alone
        signal: AbortSignal.any(limits),
      });
      text = await response.text();
    } catch (error) {
      const { cause } = error as Error;
      throw new ReviewHostError(`${name} did not answer: ${hidden(messageOf(cause ?? error))}`, 0);
    }
    if (!response.ok) throw refusal(response, text);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw unexpected();
    }
  }

  /** What the host says must not bring the token into a log. */
  function hidden(text: string): string {
    return text.replaceAll(secret, '***').replace(/\s+/g, ' ').slice(0, MOST_WORDS);
  }

  function refusal({ status, headers }: Response, text: string): ReviewHostError {
    const said = hidden(wordsIn(text));
    const words = said === '' ? String(status) : `${status}: ${said}`;
    const waitMs = waitIn(headers);
    if (status === 429 || (status === 403 && waitMs > 0))
      return new ReviewHostError(`${name} has reached its limit of requests (${words})`, status, waitMs);
    if (status >= 300 && status < 400)
      return new ReviewHostError(
        `${name} says that ${project} has moved; change the URL of the remote, or git.push.api`,
        status,
      );
    const MEANING: Readonly<Record<number, string>> = {
      401: `${name} does not accept PRESSMARK_GIT_TOKEN (${words})`,
      403: `PRESSMARK_GIT_TOKEN may not write pull requests of ${project} (${words})`,
      404: `${name} has no ${project} that PRESSMARK_GIT_TOKEN may see (${words})`,
    };
    return new ReviewHostError(MEANING[status] ?? `${name} answered ${words}`, status, waitMs);
  }

  function unexpected(): ReviewHostError {
    return new ReviewHostError(
      `${name} answered with something that is no pull request; is git.push.api right?`,
      0,
    );
  }

  function read(answer: unknown, branches: Branches): PullRequest | undefined {
    try {
      return dialect.read(answer, branches);
    } catch {
      throw unexpected();
    }
  }

  /** The open pull request between two branches, else the newest one; undefined for none. */
  async function newest(branches: Branches): Promise<PullRequest | undefined> {
    let latest: PullRequest | undefined;
    for (let page = 1; page <= MOST_PAGES; page++) {
      const query = new URLSearchParams({ ...dialect.query(branches, project), page: String(page) });
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

  async function create(branches: Branches, text: PullRequestText): Promise<PullRequest> {
    const fields = { ...dialect.branchFields(branches), ...dialect.fields(text) };
    const made = read(await ask('POST', pulls, fields), branches);
    if (made === undefined) throw unexpected();
    return made;
  }

  async function update(number: number, text: PullRequestText): Promise<void> {
    await ask(dialect.editMethod, `${pulls}/${number}`, dialect.fields(text));
  }

  return { newest, create, update };
}

/** The words in an answer that is an error: `message`, a text, a list or an object of lists, and GitHub's `errors`. */
function wordsIn(text: string): string {
  try {
    const { message, errors, error } = JSON.parse(text) as Record<string, unknown>;
    const details = Array.isArray(errors) ? errors.map((one) => one?.message ?? '').filter(Boolean) : [];
    return [message ?? error ?? '', ...details]
      .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
      .join('; ');
  } catch {
    return ''; // a page for people
  }
}

/** How long a host wants not to be asked, in milliseconds. */
function waitIn(headers: Headers): number {
  const seconds = Number(headers.get('retry-after'));
  if (seconds > 0) return seconds * 1_000;
  if (headers.get('x-ratelimit-remaining') !== '0') return 0;
  return Math.max(0, Number(headers.get('x-ratelimit-reset')) * 1_000 - Date.now());
}

function apiOf(dialect: Dialect, remoteUrl: string): string {
  const origin = originOf(remoteUrl);
  if (origin !== undefined) return dialect.api(origin);
  throw new PressmarkError(
    'CONFIG_INVALID',
    `git.push.api must be set: the URL of the remote does not say where ${dialect.name} is`,
  );
}

/** Where the pages of a remote's host are; undefined if its URL is a path. */
function originOf(remoteUrl: string): string | undefined {
  if (/^https?:\/\//i.test(remoteUrl) && URL.canParse(remoteUrl)) return new URL(remoteUrl).origin;
  const [, host] =
    /^(?:ssh|git|git\+ssh):\/\/(?:[^@/]*@)?([^/:]+)/i.exec(remoteUrl) ??
    /^(?:[^@/]*@)?([^/:]{2,}):(?!\/\/)/.exec(remoteUrl) ??
    [];
  return host && `https://${host}`;
}

/** `owner/name`, at GitLab with the groups above it. */
function projectOf(remoteUrl: string, kind: ReviewHostKind, api: string): string {
  const path = remoteUrl
    .replace(/^[a-z+]+:\/\/[^/]*\//i, '')
    .replace(/^(?:[^@/]*@)?[^/:]{2,}:/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/^\/+/, '');
  const names = path.split('/');
  // The host itself may be below a path.
  const above = kind === 'gitlab' ? new URL(api).pathname.split('/').slice(1, -2) : [];
  const isBelow = above.length > 0 && above.every((name, index) => names[index] === name);
  const hasOrigin = originOf(remoteUrl) !== undefined;
  const own = kind === 'gitlab' && hasOrigin ? names.slice(isBelow ? above.length : 0) : names.slice(-2);
  if (own.length < 2 || own.includes(''))
    throw new PressmarkError(
      'CONFIG_INVALID',
      'the URL of the remote names no repository of an owner; git.push.pullRequest needs one',
    );
  return own.map(decodeURIComponent).join('/');
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function tokenFor(api: string, token: string | undefined): string {
  if (token === undefined)
    throw new PressmarkError(
      'CONFIG_INVALID',
      'PRESSMARK_GIT_TOKEN is not set; put a token that may write pull requests into .env',
    );
  const { protocol, hostname } = new URL(api);
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    throw new PressmarkError(
      'CONFIG_INVALID',
      'git.push.api begins with http://, which would send PRESSMARK_GIT_TOKEN readable to others; use https://',
    );
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new PressmarkError(
      'CONFIG_INVALID',
      'PRESSMARK_GIT_TOKEN holds characters that no token has; copy it again',
    );
  return token;
}
