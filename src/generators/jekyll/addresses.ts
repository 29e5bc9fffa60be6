import type { AddressQuery, ListedPage, SiteFiles } from '../generator.js';
import { rubyCommand } from './ask.js';

/** How Jekyll lists its posts, and the documents of its other collections. */
export function addressQuery(files: SiteFiles): AddressQuery {
  return { command: rubyCommand(files, 'pages'), parse: (printed) => JSON.parse(printed) as ListedPage[] };
}
