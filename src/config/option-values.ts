import { type Service, serviceOf } from '../contract/service.js';
import { serviceSchema } from '../contract/service-schema.js';
import { PressmarkError, quote } from '../errors.js';
import { invalid } from './config-file.js';
import { schema } from './schema.js';

/**
 * The service that `--service` says: its name; after a colon the word of its item comment, where that is another one.
 *
 * @throws PressmarkError CONFIG_INVALID, its message saying what the name must be.
 */
export function readServiceOption(text: string): Service {
  const [name, comment, ...more] = text.split(':');
  const { data, error } = serviceSchema.safeParse({ name, ...(comment !== undefined && { comment }) });
  if (data !== undefined && more.length === 0) return serviceOf(data);
  throw invalid(error?.issues[0]?.message ?? 'must be a name, or a name and a word for the comment: Acme:ac');
}

/**
 * A site's address as somebody has given it, without a trailing slash.
 *
 * @throws PressmarkError USAGE if it cannot be one.
 */
export function siteUrlOf(text: string): string {
  const { success, error } = schema.safeParse({ siteUrl: text });
  if (success) return text.replace(/\/+$/, '');
  throw new PressmarkError(
    'USAGE',
    `the address ${quote(text, 200)} ${error.issues[0]?.message ?? 'is not possible'}`,
  );
}
