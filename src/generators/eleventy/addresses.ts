import type { AddressQuery, ListedPage, SiteFiles } from '../generator.js';
import { nodeCommand } from './ask.js';

/** How Eleventy lists its pages. */
export function addressQuery(files: SiteFiles): AddressQuery {
  return { command: nodeCommand(files, 'pages'), parse: (printed) => JSON.parse(printed) as ListedPage[] };
}
