import { PressmarkError } from '../errors.js';
import type { Generator } from './generator.js';

const BUILT_IN: readonly Generator[] = [];

/** The built-in definition of this name. */
export function generatorNamed(name: string): Generator {
  const found = BUILT_IN.find((generator) => generator.name === name);
  if (found === undefined) throw new PressmarkError('CONFIG_INVALID', `there is no generator ${name}`);
  return found;
}
