import { InvalidArgumentError, Option } from 'commander';
import { readServiceOption } from '../config/option-values.js';
import { messageOf } from '../errors.js';

/** `--service <name>`. */
export function serviceOption(): Option {
  return new Option(
    '--service <name>',
    'the service’s name: Acme for X-Acme-Signature; Acme:ac if its item comment says ac',
  ).argParser(parseService);
}

function parseService(text: string) {
  try {
    return readServiceOption(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${messageOf(error)}.`);
  }
}
