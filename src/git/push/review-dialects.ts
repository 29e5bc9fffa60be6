import * as z from 'zod';

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

/** What a pull request says of itself. */
export type PullRequestText = Pick<PullRequest, 'title' | 'body'>;

/** The branches of a pull request, without `refs/heads/`. */
export interface Branches {
  readonly head: string;
  /** The branch that it is to be merged into. */
  readonly base: string;
}

/** How many pull requests one page of a list has. */
export const PAGE_SIZE = 50;

/** How the API of a host differs from the others'. */
export interface Dialect {
  readonly name: string;
  api(origin: string): string;
  headers(token: string): Record<string, string>;
  /** The path of the repository's pull requests, below the API. */
  path(project: string): string;
  /** What a list is limited to. */
  query(branches: Branches, project: string): Record<string, string>;
  readonly editMethod: 'PATCH' | 'PUT';
  fields(text: PullRequestText): Record<string, string>;
  branchFields(branches: Branches): Record<string, string>;
  /** @returns undefined for a pull request from a fork, which anybody can open, or between other branches. */
  read(answer: unknown, branches: Branches): PullRequest | undefined;
}

const GITHUB_ANSWER = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  title: z.string(),
  body: z.string().nullable(),
  head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ id: z.number() }).nullable() }),
  base: z.object({ ref: z.string(), repo: z.object({ id: z.number() }) }),
});

const GITLAB_ANSWER = z.object({
  iid: z.int(),
  web_url: z.string(),
  state: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  sha: z.string().nullable(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.number().nullable(),
  target_project_id: z.number(),
});

const GITEA_ANSWER = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  title: z.string(),
  body: z.string(),
  // `ref` is another one where the branch was deleted
  head: z.object({ label: z.string(), sha: z.string(), repo_id: z.number() }),
  base: z.object({ label: z.string(), repo_id: z.number() }),
});

/** How each host is asked, by its documented API. */
export const DIALECTS: Readonly<Record<ReviewHostKind, Dialect>> = {
  github: {
    name: 'GitHub',
    api: (origin) =>
      /^https:\/\/(?:www\.|ssh\.)?github\.com$/i.test(origin) ? 'https://api.github.com' : `${origin}/api/v3`,
    headers: (token) => ({
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    }),
    path: (project) => `/repos/${project}/pulls`,
    query: ({ head, base }, project) => ({
      state: 'all',
      head: `${project.split('/', 1)[0]}:${head}`,
      base,
      sort: 'created',
      direction: 'desc',
      per_page: String(PAGE_SIZE),
    }),
    editMethod: 'PATCH',
    fields: ({ title, body }) => ({ title, body }),
    branchFields: ({ head, base }) => ({ head, base }),
    read: (answer, branches) => {
      const { number, html_url: url, state, title, body, head, base } = GITHUB_ANSWER.parse(answer);
      const isOurs = head.repo?.id === base.repo.id && head.ref === branches.head;
      if (!isOurs || base.ref !== branches.base) return undefined;
      return { number, url, isOpen: state === 'open', title, body: body ?? '', commit: head.sha };
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
    fields: ({ title, body }) => ({ title, description: body }),
    branchFields: ({ head, base }) => ({ source_branch: head, target_branch: base }),
    read: (answer, branches) => {
      const { iid, web_url: url, state, title, description, sha, ...of } = GITLAB_ANSWER.parse(answer);
      const isOurs = of.source_project_id === of.target_project_id && of.source_branch === branches.head;
      if (!isOurs || of.target_branch !== branches.base) return undefined;
      return {
        number: iid,
        url,
        isOpen: state === 'opened',
        title,
        body: description ?? '',
        commit: sha ?? '',
      };
    },
  },
  gitea: {
    name: 'Gitea',
    api: (origin) => `${origin}/api/v1`,
    headers: (token) => ({ accept: 'application/json', authorization: `token ${token}` }),
    path: (project) => `/repos/${project}/pulls`,
    // A list cannot be limited to a branch.
    query: () => ({ state: 'all', sort: 'recentupdate', limit: String(PAGE_SIZE) }),
    editMethod: 'PATCH',
    fields: ({ title, body }) => ({ title, body }),
    branchFields: ({ head, base }) => ({ head, base }),
    read: (answer, branches) => {
      const { number, html_url: url, state, title, body, head, base } = GITEA_ANSWER.parse(answer);
      const isOurs = head.repo_id === base.repo_id && head.label === branches.head;
      if (!isOurs || base.label !== branches.base) return undefined;
      return { number, url, isOpen: state === 'open', title, body, commit: head.sha };
    },
  },
};
