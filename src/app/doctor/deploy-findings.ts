import type { Settings } from '../../config/load.js';
import { isOverdue, lastSuccess, notedFacts } from '../status.js';
import type { Finding } from './finding.js';

/** What stands between the stored articles and their readers: builds that fail, articles left out, deploys that fail. */
export function deployFindings(settings: Settings): Finding[] {
  const { excluded, targets, facts } = notedFacts(settings);
  const { buildError, awaited } = facts;
  const findings: Finding[] = [];
  if (buildError !== undefined)
    findings.push({
      level: 'fail',
      about: 'build',
      text: `the last build failed (${buildError.at}): ${buildError.reason}`,
      fix: 'correct what the build command says; the site shows its last good build until then',
    });
  for (const { path, reason, hasPrevious, isMalformed } of excluded) {
    const shown = hasPrevious ? 'shows its previous text' : 'is built without it';
    findings.push({
      level: 'fail',
      about: 'build',
      text: isMalformed
        ? `${path} has malformed front matter, and the site ${shown}: ${reason}`
        : `${path} breaks the build, and the site ${shown}: ${reason}`,
      fix: isMalformed
        ? 'correct the file; it is built again then'
        : 'correct the file, the layout or the schema; the next build tries it again, also without a change: the reason may have passed, as that of a full disk',
    });
  }
  for (const [name, { error, deployed, attempts }] of Object.entries(targets)) {
    if (error !== undefined)
      findings.push({
        level: 'fail',
        about: 'deploy',
        text: `${name} has failed ${attempts === 1 ? 'once' : `${attempts} times`}: ${error}`,
        fix: 'correct that; Pressmark tries it again by itself',
      });
    else if (deployed !== undefined)
      findings.push({ level: 'ok', about: 'deploy', text: `${name}: ${lastSuccess(name, deployed.at)}` });
  }
  const notLive = awaited.filter((article) => article.found !== undefined && isOverdue(article));
  const newest = notLive.at(-1);
  if (newest !== undefined)
    findings.push({
      level: 'fail',
      about: 'live check',
      text: `${newest.url}: ${newest.found}${notLive.length === 1 ? '' : `; and ${notLive.length - 1} more are not live`}`,
      fix: 'open the page in a browser; look at the host’s log and its cache',
    });
  return findings;
}
