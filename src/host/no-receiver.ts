import { PressmarkError } from '../errors.js';
import type { ArticleChanges } from './articles/edits.js';
import type { SiteRecords } from './records.js';

/** A method that needs a running receiver. */
export const refusing = (plugin: string) => async () => {
  throw new PressmarkError('USAGE', `plugin ${plugin}: this can be done only while the receiver runs`);
};

/** The methods that change articles, when no receiver is running. */
export function readingOnly(plugin: string): ArticleChanges {
  const refuse = refusing(plugin);
  const changes = {
    receive: refuse,
    change: refuse,
    list: refuse,
    patch: refuse,
    setState: refuse,
    rebuild: refuse,
  };
  const found = { search: refuse, datesSince: refuse };
  const trash = { trash: refuse, restore: refuse, deleteTrashed: refuse, trashed: refuse };
  const edits = { open: refuse, edit: refuse, create: refuse, draft: refuse, setStateBy: refuse };
  const versions = { history: refuse, at: refuse, compare: refuse, revert: refuse };
  return { ...changes, ...edits, ...versions, escaped: refuse, formFields: refuse, ...found, ...trash };
}

/** The records of the site, when no receiver is running. */
export function noRecords(plugin: string): SiteRecords {
  const refuse = refusing(plugin);
  return {
    deliveries: refuse,
    delivery: refuse,
    dryRun: refuse,
    refusals: refuse,
    lastSeen: refuse,
    doctor: refuse,
    status: refuse,
  };
}
