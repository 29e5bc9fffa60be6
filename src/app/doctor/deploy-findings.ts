import type { Settings } from '../../config/load.js';
import { isOverdue, lastSuccess, notedFacts } from '../status.js';
import { type Finding, fail, ok } from './finding.js';

/** What stands between the stored articles and their readers: builds that fail, articles left out, deploys that fail. */
export function deployFindings(settings: Settings): Finding[] {
  const { excluded, targets, facts } = notedFacts(settings);
  const { buildError, awaited } = facts;
  const findings: Finding[] = [];
  if (buildError !== undefined)
    findings.push(
      fail(
        'build',
        `the last build failed (${buildError.at}): ${buildError.reason}`,
        'correct what the build command says; the site shows its last good build until then',
      ),
    );
  for (const { path, reason, hasPrevious, isMalformed } of excluded) {
    const why = isMalformed ? 'has malformed front matter' : 'breaks the build';
    const shown = hasPrevious ? 'shows its previous text' : 'is built without it';
    const fix = isMalformed
      ? 'correct the file; it is built again then'
      : 'correct the file, the layout or the schema; the next build tries it again, also without a change: the reason may have passed, as that of a full disk';
    findings.push(fail('build', `${path} ${why}, and the site ${shown}: ${reason}`, fix));
  }
  for (const [name, { error, deployed, attempts }] of Object.entries(targets)) {
    const times = attempts === 1 ? 'once' : `${attempts} times`;
    if (error !== undefined)
      findings.push(
        fail('deploy', `${name} has failed ${times}: ${error}`, 'correct that; Pressmark tries again'),
      );
    else if (deployed !== undefined)
      findings.push(ok('deploy', `${name}: ${lastSuccess(name, deployed.at)}`));
  }
  const notLive = awaited.filter((article) => article.found !== undefined && isOverdue(article));
  const newest = notLive.at(-1);
  if (newest !== undefined) {
    const more = notLive.length === 1 ? '' : `; and ${notLive.length - 1} more are not live`;
    findings.push(
      fail(
        'live check',
        `${newest.url}: ${newest.found}${more}`,
        'open the page in a browser; look at the host’s log and its cache',
      ),
    );
  }
  return findings;
}
