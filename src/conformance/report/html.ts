import type { Outcome, Report } from '../outcome.js';
import { bySection, countsText, isFinding, RESULTS } from './summary.js';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #444); --bad: light-dark(#b3261e, #ff8a80); --good: light-dark(#1b7f3b, #7bd88f); --mild: light-dark(#8a5a00, #ffcc66); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
ul { list-style: none; padding: 0; margin: 0; }
li { border-top: 1px solid var(--line); padding: .5rem 0; overflow-wrap: anywhere; }
.failed b, .error b { color: var(--bad); } .passed b { color: var(--good); } .advice b, .known b { color: var(--mild); }
code, pre { font: .85rem/1.5 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); padding: .75rem; }
p.note { white-space: pre-line; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; } dd { margin: 0; }
`;

/** Formats a report as a self-contained page: findings first, then all rules by section of the contract. */
export function htmlReport(report: Report): string {
  const found = report.outcomes.filter(isFinding);
  const title = `${report.subject}: ${report.url}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(countsText(report))}; ${report.requests} requests in ${(report.ms / 1000).toFixed(1)} s.</p>
${found.length === 0 ? '' : `<h2>What to look at</h2>\n<ul>\n${found.map(finding).join('\n')}\n</ul>`}
${[...bySection(report)].map(([section, outcomes]) => sectionOf(section, outcomes)).join('\n')}
${report.notes.map((note) => `<p class="note">${escaped(note)}</p>`).join('\n')}
</body>
</html>
`;
}

function finding({ rule, result, expected, got, why, exchange }: Outcome): string {
  const facts = Object.entries({ expected, got, fix: expected === undefined ? undefined : rule.hint, why });
  const rows = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [`<dt>${name}</dt><dd>${escaped(text)}</dd>`],
  );
  const traffic =
    exchange === undefined
      ? ''
      : `<details><summary>Request and answer</summary><pre>${escaped(exchange.join('\n'))}</pre></details>`;
  return `<li class="${result}"><b>${RESULTS[result].mark}</b> ${escaped(rule.says)} <code>${rule.id}</code> (rule ${rule.number}, contract: ${escaped(rule.section)})<dl>${rows.join('')}</dl>${traffic}</li>`;
}

function sectionOf(section: string, outcomes: readonly Outcome[]): string {
  const lines = outcomes.map(
    ({ rule, result }) =>
      `<li class="${result.replace(' ', '-')}"><b>${RESULTS[result].mark}</b> ${escaped(rule.says)} <code>${rule.id}</code> (${rule.number})${result === 'passed' ? '' : `, ${result}`}</li>`,
  );
  return `<details><summary>${escaped(section)}: ${escaped(countsText({ outcomes }))}</summary><ul>\n${lines.join('\n')}\n</ul></details>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
