import type { Branch, NotNow } from '../commit/head.js';
import type { Waiting } from './waiting.js';

/** Where the repository is. */
export interface Look {
  readonly head: Branch | NotNow;
  /** Whether commits are parked. */
  readonly parked: boolean;
}

/** What the queue works with. */
export interface QueueWork {
  /** Looks where the branch is, before anything else; called when the first change arrives. */
  look(): Promise<Look>;
  /** Commits a batch in order. */
  commit(batch: readonly Waiting[], branch: Branch): Promise<NotNow | undefined>;
  /** Keeps a batch safe for as long as there is no branch for it. */
  park(batch: readonly Waiting[], why: NotNow): Promise<void>;
  /** Commits what is parked; `lost` where that is gone and has to be found again. */
  replay(branch: Branch): Promise<NotNow | 'lost' | undefined>;
  /** Finds what was left uncommitted; finds nothing once `signal` says that the shutdown has begun. */
  recover(signal: AbortSignal): Promise<readonly Waiting[] | NotNow>;
}
