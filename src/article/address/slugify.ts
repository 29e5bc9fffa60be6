import { createRequire } from 'node:module';
import type Library from '@sindresorhus/slugify';

let library: typeof Library | undefined;

/** A text in the letters of a URL. The library is loaded when it is first needed: it makes patterns of thousands of letters. */
export const slugify: typeof Library = (text, options) => {
  library ??= (createRequire(import.meta.url)('@sindresorhus/slugify') as { default: typeof Library })
    .default;
  return library(text, options);
};
