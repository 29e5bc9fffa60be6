import type { Git } from './git.js';

/** A person's name and address in a commit. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Author and committer of a commit. */
export interface Identity {
  readonly author: Person;
  readonly committer: Person;
}

const FALLBACK: Person = { name: 'Pressmark', email: 'pressmark@localhost' };

const CONFIG = ['config', '-z', '--get-regexp', '^(user|author|committer)\\.(name|email)$'];

/**
 * Returns the identity for commits: `override`, or else the identity in git's config, or else Pressmark. Git's guess from the
 * user and machine names is not used, as it would publish them.
 */
export async function identityOf(git: Git, override?: Person): Promise<Identity> {
  if (override !== undefined) {
    const person = clean(override);
    return { author: person, committer: person };
  }
  const { stdout } = await git(CONFIG, { accept: [1] });
  const set = new Map<string, string>();
  for (const entry of stdout.split('\0')) {
    const end = entry.indexOf('\n');
    if (end !== -1) set.set(entry.slice(0, end), entry.slice(end + 1));
  }
  const person = (role: string): Person =>
    clean({
      name: set.get(`${role}.name`) ?? set.get('user.name') ?? '',
      email: set.get(`${role}.email`) ?? set.get('user.email') ?? '',
    });
  return { author: person('author'), committer: person('committer') };
}

/** Formats a person and a time, in seconds since 1970, for a commit. */
export function signature({ name, email }: Person, seconds: number): string {
  return `${name} <${email}> ${seconds} +0000`;
}

/** Returns the environment variables for author, committer and date. @param seconds the date, since 1970. @default now */
export function identityVariables({ author, committer }: Identity, seconds?: number): NodeJS.Dict<string> {
  const date = seconds === undefined ? undefined : `${seconds} +0000`;
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    ...(date !== undefined && { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }),
  };
}

/** Removes the characters that a commit's author cannot have, and fills in missing fields. */
export function clean({ name, email }: Person): Person {
  // These would end the field; git removes them, too.
  const field = (text: string) => text.replace(/[<>\p{Cc}]/gu, '').trim();
  return { name: field(name) || FALLBACK.name, email: field(email) || FALLBACK.email };
}
