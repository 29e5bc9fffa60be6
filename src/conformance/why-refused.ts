import { sampleTest } from '../sender/article/sample-event.js';
import { describe, isSuccess } from './expect.js';
import type { Session } from './session.js';
import { SIGNATURE_FORMS } from './signature-forms.js';
import type { Answer } from './transport/probe.js';
import type { Overrides } from './transport/request.js';

/** A request that a receiver may accept instead of the service's, and the fix. */
interface Guess {
  readonly overrides: Overrides;
  readonly fix: string;
}

const NAMES: Guess = {
  overrides: { lowercase: true },
  fix: 'The receiver finds the headers only if their names are in lower case. Look them up in any case.',
};

/**
 * Finds out why a receiver refuses a right signature: by the form of the body or the key with which it accepts a webhook.test.
 */
export function whyNotSigned(session: Session, answer: Answer): Promise<string | undefined> {
  const page = /text\/html/i.test(answer.headers['content-type'] ?? '');
  if (page || /cloudflare|akamai|sucuri|imperva/i.test(String(answer.headers.server)))
    return Promise.resolve(
      'This answer comes from a firewall or a proxy before the receiver. Let signed POST requests to this path through.',
    );
  const { secret } = session.options;
  return proven(session, [
    NAMES,
    ...SIGNATURE_FORMS.map(({ what, fix, sign }) => ({
      fix: `The receiver expects a signature ${what}. ${fix}`,
      overrides: {
        signature: (_: string, signed: Buffer) =>
          sign(signed.toString(), secret, String(Math.floor(Date.now() / 1000))),
      },
    })),
  ]);
}

/** Finds out why a receiver refuses a signed request, by the requests that it accepts; a failed attempt proves nothing. */
export async function whyNotAccepted(session: Session, { status }: Answer): Promise<string | undefined> {
  if (status === 429 || status >= 500) return undefined;
  return proven(session, [
    NAMES,
    {
      overrides: { envelope: { contract_version: 3 } },
      fix: 'The receiver accepts contract_version 3. Requests carry 2 for receivers of every version; only answers carry 3.',
    },
  ]);
}

async function proven(session: Session, guesses: readonly Guess[]): Promise<string | undefined> {
  for (const { overrides, fix } of guesses) {
    const reply = await session.reply('webhook.test', sampleTest({ id: session.id('test') }), {
      ...overrides,
      trial: true,
    });
    if (reply.kind === 'answer' && isSuccess(reply))
      return `${fix} (Proven: a test in this form is answered ${describe(reply)}.)`;
  }
  return undefined;
}
