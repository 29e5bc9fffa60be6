import type { ReviewHostKind } from '../../src/git/push/review-host.js';
import { type Got, reply, startEndpoint } from './endpoint.js';
import type { Teardown } from './teardown.js';

/** A pull request as the stand-in has it, whatever the host calls its fields. */
interface StoredPull {
  readonly number: number;
  title: string;
  body: string;
  readonly head: string;
  readonly base: string;
  state: 'open' | 'closed' | 'merged';
  /** The last commit; that of its branch while it is open. */
  sha: string;
  /** The repository that its branch is in: another one for a fork. */
  readonly repo: number;
}

interface ReviewAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const refused = (status: number, message: string, ...errors: readonly object[]): ReviewAnswer => ({
  status,
  body: { message, ...(errors.length > 0 && { errors }) },
});

/** A stand-in for the REST API of a host; see `startReviewServer`. */
export interface ReviewServer {
  /** For `git.push.api`. */
  readonly api: string;
  readonly pulls: StoredPull[];
  readonly requests: readonly Got[];
  /** Answers the next requests with this, in place of the API. */
  fail: ReviewAnswer | undefined;
  /** The page of a pull request. */
  url(number: number): string;
}

interface ReviewServerOptions {
  readonly kind: ReviewHostKind;
  /** `owner/name`. */
  readonly project: string;
  readonly token: string;
  /** The last commit of a branch; undefined where there is none. */
  tipOf(branch: string): string | undefined;
}

const OWN = 7;

/**
 * Serves the part of a host's REST API that is about pull requests, as the host documents it: paths, methods, fields,
 * status codes.
 */
export async function startReviewServer(
  t: Teardown,
  { kind, project, token, tipOf }: ReviewServerOptions,
): Promise<ReviewServer> {
  const pulls: StoredPull[] = [];
  const { origin, got: requests } = await startEndpoint(t, (got, response) => {
    const { status, body, headers } = self.fail ?? answerTo(got);
    reply(status, body ?? {}, { 'content-type': 'application/json', ...headers })(got, response);
  });
  const prefix = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' }[kind];
  const list =
    kind === 'gitlab'
      ? `${prefix}/projects/${encodeURIComponent(project)}/merge_requests`
      : `${prefix}/repos/${project}/pulls`;
  const self: ReviewServer = {
    ...{ api: `${origin}${prefix}`, pulls, requests, fail: undefined },
    url: (number) => `${origin}/${project}/${number}`,
  };

  function answerTo({ method, path, headers, body }: Got): ReviewAnswer {
    const url = new URL(path, origin);
    const fields: Record<string, string> = body.length === 0 ? {} : JSON.parse(String(body));
    const expected = { github: `Bearer ${token}`, gitlab: token, gitea: `token ${token}` }[kind];
    const given = kind === 'gitlab' ? headers['private-token'] : headers.authorization;
    if (given !== expected) return refused(401, kind === 'github' ? 'Bad credentials' : '401 Unauthorized');
    if (kind === 'github' && headers['user-agent'] === undefined)
      return refused(403, 'Request forbidden by administrative rules.');
    for (const pull of pulls) if (pull.state === 'open') pull.sha = tipOf(pull.head) ?? pull.sha;
    if (url.pathname === list && method === 'GET') return { status: 200, body: listed(url.searchParams) };
    if (url.pathname === list && method === 'POST') return created(fields);
    const pull = pulls.find(({ number }) => url.pathname === `${list}/${number}`);
    if (pull === undefined || method !== (kind === 'gitlab' ? 'PUT' : 'PATCH'))
      return refused(404, kind === 'gitlab' ? '404 Project Not Found' : 'Not Found');
    pull.title = fields.title ?? pull.title;
    pull.body = fields[kind === 'gitlab' ? 'description' : 'body'] ?? pull.body;
    return { status: kind === 'gitea' ? 201 : 200, body: shown(pull) };
  }

  function listed(query: URLSearchParams): unknown[] {
    const size = Number(query.get(kind === 'gitea' ? 'limit' : 'per_page') ?? 30);
    const start = (Number(query.get('page') ?? 1) - 1) * size;
    const found = pulls.filter(({ head, base, state, repo }) => {
      if (query.get('state') !== 'all' && state !== 'open') return false;
      if (kind === 'github') {
        const owner = repo === OWN ? project.split('/')[0] : 'stranger';
        return query.get('head') === `${owner}:${head}` && query.get('base') === base;
      }
      if (kind === 'gitlab')
        return query.get('source_branch') === head && query.get('target_branch') === base;
      return true;
    });
    return found
      .toReversed()
      .slice(start, start + size)
      .map(shown);
  }

  function created(fields: Record<string, string>): ReviewAnswer {
    const { title = '' } = fields;
    const isGitLab = kind === 'gitlab';
    const head = fields[isGitLab ? 'source_branch' : 'head'] ?? '';
    const base = fields[isGitLab ? 'target_branch' : 'base'] ?? '';
    const body = fields[isGitLab ? 'description' : 'body'] ?? '';
    const sha = tipOf(head);
    if (title === '' || sha === undefined || tipOf(base) === undefined)
      return refused(422, 'Validation Failed', { resource: 'PullRequest', field: 'head' });
    if (sha === tipOf(base))
      return refused(422, 'Validation Failed', { message: `No commits between ${base} and ${head}` });
    const number = pulls.length + 1;
    const pull: StoredPull = { number, title, body, head, base, state: 'open', sha, repo: OWN };
    pulls.push(pull);
    return { status: 201, body: shown(pull) };
  }

  function shown({ number, title, body, head, base, state, sha, repo }: StoredPull): unknown {
    const page = self.url(number);
    if (kind === 'gitlab')
      return {
        iid: number,
        web_url: page,
        state: state === 'open' ? 'opened' : state,
        title,
        description: body === '' ? null : body,
        sha,
        source_branch: head,
        target_branch: base,
        source_project_id: repo,
        target_project_id: OWN,
      };
    const common = { number, html_url: page, state: state === 'open' ? 'open' : 'closed', title };
    if (kind === 'gitea')
      return {
        ...common,
        body,
        head: { label: head, ref: tipOf(head) ? head : `refs/pull/${number}/head`, sha, repo_id: repo },
        base: { label: base, ref: base, sha: tipOf(base), repo_id: OWN },
      };
    return {
      ...common,
      body: body === '' ? null : body,
      head: { ref: head, sha, repo: { id: repo } },
      base: { ref: base, repo: { id: OWN } },
    };
  }

  return self;
}
