import { PressmarkError } from '../../errors.js';

import { fetchText } from '../fetch-text.js';
import type { DeployTarget, OutputSource } from './target.js';

export interface HookOptions {
  /** The URL. It is a secret, and never in logs or messages. */
  readonly url: string;
  /** A token for the `Authorization` header, for instance for GitHub's `repository_dispatch`. */
  readonly token?: string;
  /** The shortest interval between two calls, in milliseconds. @default 0 */
  readonly everyMs?: number;
  /** The commits that the host builds from. */
  readonly commits: OutputSource;
}

const TIMEOUT_MS = 30_000;

const MAX_ANSWER_BYTES = 1_000_000;

/** Hosts of this machine. A token that is sent to them crosses no network. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The body for GitHub; Netlify, Vercel and Cloudflare ignore it. */
const BODY = JSON.stringify({ event_type: 'pressmark' });

/** Calls the build hook of a host that builds from the repository: a POST after the push. Redirects are not followed. */
export function hookTarget({ url, token, everyMs = 0, commits }: HookOptions): DeployTarget {
  return {
    name: 'hook',
    everyMs,
    commits,
    outcome: 'the deploy hook was called; the host builds and deploys the site',
    async deploy(_, signal) {
      const target = parsed(url);
      const authorization = authorizationOf(target, token);
      const { status } = await fetchText(
        target,
        {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json',
            ...(authorization !== undefined && { Authorization: authorization }),
          },
          body: BODY,
          maxBytes: MAX_ANSWER_BYTES,
          timeoutMs: TIMEOUT_MS,
        },
        signal,
      );
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
  if (URL.canParse(url) && /^https?:/i.test(url)) return new URL(url);
  throw failed('PRESSMARK_DEPLOY_HOOK is not an http(s) URL; set it to the build hook that your host shows');
}

/** The header for a token, or for a name and a password, which are removed from the URL because `fetch` refuses them there. */
function authorizationOf(target: URL, token: string | undefined): string | undefined {
  const { username, password, protocol, hostname } = target;
  if (token !== undefined && protocol === 'http:' && !LOOPBACK.test(hostname))
    throw failed(
      'PRESSMARK_DEPLOY_HOOK begins with http://, which would send PRESSMARK_DEPLOY_TOKEN readable to others; use https://',
    );
  target.username = '';
  target.password = '';
  if (token !== undefined) return `Bearer ${token}`;
  if (username === '' && password === '') return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

function failed(message: string): PressmarkError {
  return new PressmarkError('DEPLOY_FAILED', message);
}
