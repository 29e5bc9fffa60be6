import { PressmarkError } from '../../errors.js';
import { type PublicRequest, publicFetch } from '../live/public-fetch.js';
import type { DeployTarget } from './target.js';

export interface HookOptions {
  /** The URL, which is a secret: it is in no log and in no message. */
  readonly url: string;
  /** A token for the `Authorization` header, such as GitHub's `repository_dispatch` wants. */
  readonly token?: string;
  /** Whether the URL may lead to this machine or to a private network. */
  readonly allowPrivate: boolean;
  /** Resolves when what the host builds from has been pushed. */
  pushed(signal: AbortSignal): Promise<void>;
  readonly resolve?: PublicRequest['resolve'];
}

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1_000_000;

/** What GitHub wants to know; Netlify, Vercel and Cloudflare do not look at the body. */
const BODY = JSON.stringify({ event_type: 'pressmark' });

/** The build hook of a host that builds from the repository: a POST after the push. Redirects are not followed. */
export function hookTarget({ url, token, allowPrivate, pushed, resolve }: HookOptions): DeployTarget {
  return {
    name: 'hook',
    outcome: 'the deploy hook was called; the host builds and deploys the site',
    async deploy(_, signal) {
      const target = parsed(url);
      if (token !== undefined && target.protocol === 'http:' && !allowPrivate)
        throw failed(
          'PRESSMARK_DEPLOY_HOOK begins with http://, which would send PRESSMARK_DEPLOY_TOKEN readable to others; use https://',
        );
      await pushed(signal);
      const { status } = await publicFetch(target, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
        body: BODY,
        allowPrivate,
        maxBytes: MAX_ANSWER_BYTES,
        timeoutMs: TIMEOUT_MS,
        signal,
        ...(resolve !== undefined && { resolve }),
      });
      if (status >= 300 && status < 400)
        throw failed(
          `the deploy hook answered ${status}, a redirect; set PRESSMARK_DEPLOY_HOOK to the final URL`,
        );
      if (status < 200 || status >= 300)
        throw failed(`the deploy hook answered ${status}; see the host’s page for this hook`);
    },
  };
}

function parsed(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  throw failed('PRESSMARK_DEPLOY_HOOK is not a URL; set it to the build hook that your host shows');
}

function failed(message: string): PressmarkError {
  return new PressmarkError('DEPLOY_FAILED', message);
}
