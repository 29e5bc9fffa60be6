import { messageOf, systemCode } from '../../errors.js';

/** An error and its fix. */
interface Words {
  readonly what: string;
  readonly fix: string;
}

const LOOK = 'look at the log of the receiver, or of the proxy before it';

/** The texts by the codes of Node.js and OpenSSL; `HPE` covers Node's whole parser. */
const WORDS: readonly (readonly [codes: RegExp, what: string, fix: string])[] = [
  [/^ECONNREFUSED$/, 'no program listens at this host and port', 'start the receiver, or correct the URL'],
  [/^ENOTFOUND$/, 'there is no host with this name', 'correct the URL, or the DNS of the host'],
  [/^EAI_AGAIN$/, 'the name of the host could not be looked up now', 'check the network'],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    'this host cannot be reached',
    'check the network, the firewall and the URL',
  ],
  [/^(?:ECONNRESET|EPIPE)$/, 'the connection was closed without an answer', LOOK],
  [
    /^(?:EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    'the host does not speak TLS at this port',
    'write http:// where the receiver has no certificate, or correct the port',
  ],
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired', 'renew it on the receiver’s host'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'the certificate is for another host',
    'use the host that the certificate names, or get one for this host',
  ],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?))$/,
    'the certificate is not from an authority that this machine trusts',
    'give the receiver a certificate with its whole chain, or name the authority in NODE_EXTRA_CA_CERTS',
  ],
  [
    /^HPE_/,
    'the answer is not HTTP',
    'write https:// where the receiver has a certificate, or correct the port',
  ],
];

/**
 * Explains why there is no answer, in plain words and with the system's own, and the fix. If several addresses were tried, the
 * first one's error counts.
 */
export function unreachableBecause(error: unknown): Words {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(first) ?? '';
  const own = messageOf(first).split('\n', 1)[0] || code || 'no connection';
  const [, what, fix] = WORDS.find(([codes]) => codes.test(code)) ?? [];
  if (what === undefined || fix === undefined) return { what: own, fix: LOOK };
  // OpenSSL's messages contain names of its source files.
  const shown = /\berror:\w+:/.test(own) ? code : own;
  return { what: `${what} (${shown.includes(code) ? shown : `${code}: ${shown}`})`, fix };
}
