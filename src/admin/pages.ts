import type { AdminPage, AdminRoom } from './page.js';
import { accountPages } from './pages/account.js';
import { overviewPages } from './pages/overview.js';

/** All pages that somebody sees who is logged in. */
export function pagesOf(room: AdminRoom): AdminPage[] {
  return [...overviewPages(room), ...accountPages(room)];
}
