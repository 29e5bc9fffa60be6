import type { AddressFile, UnlistedReason } from '../../deploy/addresses/address-file.js';
import { type Finding, listed } from './finding.js';

/** What is known of posts whose address the generator, or the last good build, does not show. */
const SHOWN: Readonly<Record<UnlistedReason, Omit<Finding, 'about'>>> = {
  'no page': {
    level: 'ok',
    text: 'the site makes no page of its own of these posts, so that lookups do not find them',
  },
  'several pages': {
    level: 'warn',
    text: 'several pages of the site may be those of these posts, so that lookups do not find them',
    fix: 'give each post a title of its own, or set the address in the front matter',
  },
  'symbolic link': {
    level: 'warn',
    text: 'these posts are behind a symbolic link, through which Pressmark does not write, so that lookups do not find them',
    fix: 'put the files themselves in the place of the link',
  },
  'front matter not supported': {
    level: 'warn',
    text: 'the front matter of these posts cannot be read, so that lookups do not find them',
    fix: 'write it in plain YAML, TOML or JSON',
  },
};

const REASONS = ['no page', 'several pages', 'symbolic link', 'front matter not supported'] as const;

/** Splits posts without a known address: those of which it is known why, and the others. */
export function unlistedPosts(
  paths: readonly string[],
  unlisted: AddressFile['unlisted'],
): { readonly shown: readonly Finding[]; readonly others: readonly string[] } {
  const reasons = new Map(unlisted.map(({ path, reason }) => [path, reason]));
  const shown = REASONS.flatMap((reason): Finding[] => {
    const ofReason = paths.filter((path) => reasons.get(path) === reason);
    const { text, ...finding } = SHOWN[reason];
    return ofReason.length === 0
      ? []
      : [{ about: 'addresses', ...finding, text: `${text}: ${listed(ofReason)}` }];
  });
  return { shown, others: paths.filter((path) => !reasons.has(path)) };
}
