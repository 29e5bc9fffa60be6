import * as z from 'zod';
import { DEFAULT_SERVICE, MAX_SERVICE_NAME, WORD } from './service.js';

const word = (example: string) =>
  z
    .string()
    .regex(WORD, {
      error: `must be a word that can stand in a header's name, such as ${example}: letters, digits and hyphens`,
    })
    .max(MAX_SERVICE_NAME, { error: `must have at most ${MAX_SERVICE_NAME} characters` });

/** A service in the config. In a separate file, as reading articles needs no zod. */
export const serviceSchema = z.strictObject({
  /** @default 'Service' */
  name: word('Acme').default(DEFAULT_SERVICE.name),
  /** Default: the name in lowercase; `svc` if the name is `Service`. */
  comment: word('acme').optional(),
});
