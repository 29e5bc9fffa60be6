import type { AddressRecord, UnprovenReason } from '../../deploy/trial/address-file.js';
import { type Finding, listed } from './finding.js';

/** What the last build of a copy of the site has shown of posts whose address it could not prove. */
const SHOWN: Readonly<Record<UnprovenReason, Omit<Finding, 'about'>>> = {
  'no page': {
    level: 'ok',
    text: 'the site makes no page of its own of these posts, so that lookups do not find them',
  },
  'several pages': {
    level: 'warn',
    text: 'several pages of the site have the whole text of these posts, and none is known to be theirs, so that lookups do not find them',
    fix: 'let one page alone have the whole text, and others a summary; or set the address in the front matter',
  },
  'symbolic link': {
    level: 'warn',
    text: 'these posts are behind a symbolic link, through which Pressmark does not write, so that lookups do not find them',
    fix: 'put the files themselves in the place of the link',
  },
  'front matter not supported': {
    level: 'warn',
    text: 'updates could not edit the front matter of these posts, such as one with YAML anchors, so that lookups do not find them',
    fix: 'write the values out in plain YAML, TOML or JSON',
  },
};

const REASONS = ['no page', 'several pages', 'symbolic link', 'front matter not supported'] as const;

/** Splits posts without a proven address: those of which the last build of a copy has shown why, and the others. */
export function unprovenPosts(
  paths: readonly string[],
  records: readonly AddressRecord[],
): { readonly shown: readonly Finding[]; readonly others: readonly string[] } {
  const reasons = new Map(
    records.flatMap((record) => (record.kind === 'unproven' ? [[record.path, record.reason] as const] : [])),
  );
  const shown = REASONS.flatMap((reason): Finding[] => {
    const ofReason = paths.filter((path) => reasons.get(path) === reason);
    const { text, ...finding } = SHOWN[reason];
    return ofReason.length === 0
      ? []
      : [{ about: 'addresses', ...finding, text: `${text}: ${listed(ofReason)}` }];
  });
  return { shown, others: paths.filter((path) => !reasons.has(path)) };
}
