import { messageOf } from '../../errors.js';
import type { ArticleChange, CommitMessageContext } from '../../host/hook-types.js';
import type { Hooks } from '../../host/hooks.js';
import type { Log } from '../../log.js';
import { type CommitKind, commitMessage, eventOf, messageText } from '../commit/message.js';

/** The messages of commits; see `createCommitMessages`. */
export interface CommitMessages {
  /** The whole message of a change's commit. */
  of(kind: CommitKind, change: CommitMessageContext): Promise<string>;
  /** The same, from what an article's file says. */
  ofFile(kind: CommitKind, path: string, file: ArticleText): Promise<string>;
}

type ArticleText = Pick<ArticleChange, 'article' | 'text'>;

export interface CommitMessageOptions {
  readonly hooks: Pick<Hooks, 'applyFilters'>;
  readonly log: Log;
  /** The message without its trailers. @default `:kind: :title` */
  readonly template: string | undefined;
  /** Whether subjects end in `[skip ci]`. */
  readonly skipCi: boolean;
}

/** Makes commit messages from the template; plugins filter them. A filter that fails keeps the message as it is. */
export function createCommitMessages({ hooks, log, template, skipCi }: CommitMessageOptions): CommitMessages {
  async function of(kind: CommitKind, change: CommitMessageContext): Promise<string> {
    const { article, path } = change;
    const fallback = messageText(kind, article, template);
    let text = fallback;
    try {
      text = await hooks.applyFilters('git.message', fallback, change);
    } catch (error) {
      log.warn({ path }, `the commit keeps its own message: ${messageOf(error)}`);
    }
    const trailers = {
      articleId: article.id,
      revision: article.revision,
      // From the file, where a crash does not lose it; by the contract it equals the delivery's own.
      ...((kind === 'Publish' || kind === 'Update') && { delivered: article.updated ?? article.date }),
    };
    return commitMessage(text, fallback, trailers, { skipCi });
  }

  function ofFile(kind: CommitKind, path: string, { article, text }: ArticleText) {
    const timestamp = article.updated ?? article.date;
    return of(kind, { event: eventOf(kind), article, path, text, timestamp });
  }

  return { of, ofFile };
}
