// Everything works without this: it adds keys, warnings before a text is lost, and lists that follow by themselves.

/** Whether somebody is writing, so that a key is a letter. */
const isWriting = ({ target }) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

let afterG = false;

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return;
  const wasG = afterG;
  afterG = event.key === 'g';
  if (event.key === '/') {
    const search = document.querySelector('[data-search], input[type=search]');
    if (search === null) return;
    event.preventDefault();
    search.focus();
  } else if (event.key === '?') {
    document.getElementById('keys')?.showModal();
  } else if (wasG && /^[1-9]$/.test(event.key)) {
    document.querySelectorAll('.menu a')[Number(event.key) - 1]?.click();
  } else if (event.key === 'j' || event.key === 'k') {
    goToRow(event.key === 'j' ? 1 : -1);
  }
});

/** The first link of the next or previous row. */
function goToRow(step) {
  const links = [...document.querySelectorAll('table.list tbody tr')].flatMap(
    (row) => row.querySelector('a') ?? [],
  );
  const now = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  links[now === -1 ? (step > 0 ? 0 : links.length - 1) : now + step]?.focus();
}

document.addEventListener('submit', (event) => {
  const question = event.submitter?.dataset.confirm;
  if (question !== undefined && !confirm(question)) event.preventDefault();
  else if (event.target instanceof HTMLFormElement) delete event.target.dataset.changed;
});

document.addEventListener('input', ({ target }) => {
  const form = target instanceof Element ? target.closest('form[data-dirty]') : null;
  if (form instanceof HTMLFormElement) form.dataset.changed = '';
});

addEventListener('beforeunload', (event) => {
  if (document.querySelector('form[data-changed]') !== null) event.preventDefault();
});

/** Fetches the page again, and puts the newer parts in the place of the older ones. */
async function renew(parts) {
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of parts) {
    const newer = page.getElementById(part.id);
    if (newer === null) part.remove();
    if (newer === null || part.outerHTML === newer.outerHTML) continue;
    if (!part.contains(document.activeElement)) part.replaceWith(newer);
  }
}

let seconds = 0;
setInterval(() => {
  seconds++;
  if (document.hidden) return;
  const due = [...document.querySelectorAll('[data-live][id]')].filter(
    ({ dataset }) => seconds % Math.max(2, Number(dataset.live) || 10) === 0,
  );
  if (due.length > 0) renew(due).catch(() => undefined); // the next time it may be there again
}, 1000);
