import { type Service, serviceOf } from '../contract/service.js';
import { serviceSchema } from '../contract/service-schema.js';
import { PressmarkError, quote } from '../errors.js';
import { invalid } from './config-file.js';
import { schema } from './schema.js';

/**
 * Parses the value of `--service`: the service's name, and after a colon the word of its item comment, if that differs.
 *
 * @throws PressmarkError CONFIG_INVALID with the rule for the name.
 */
export function readServiceOption(text: string): Service {
  const [name, comment, ...more] = text.split(':');
  const { data, error } = serviceSchema.safeParse({ name, ...(comment !== undefined && { comment }) });
  if (data !== undefined && more.length === 0) return serviceOf(data);
  throw invalid(error?.issues[0]?.message ?? 'must be a name, or a name and a word for the comment: Acme:ac');
}

/**
 * Checks a site's address from the user, and returns it in the form of the setting `siteUrl`.
 *
 * @throws PressmarkError USAGE if it cannot be an address.
 */
export function siteUrlOf(text: string): string {
  const { data, error } = schema.safeParse({ siteUrl: text });
  if (data?.siteUrl !== undefined) return data.siteUrl;
  throw new PressmarkError(
    'USAGE',
    `the address ${quote(text, 200)} ${error?.issues[0]?.message ?? 'is not possible'}`,
  );
}
