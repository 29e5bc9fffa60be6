import { Argument, Command, Option } from 'commander';
import { type Account, adminUsers, audited, invitationLink, ROLES, type Role } from '../app/admin-users.js';
import { loadSite } from '../app/site-address.js';
import { PressmarkError, quote } from '../errors.js';
import { example, withDir } from './options.js';
import { aligned, print, printable, printJson } from './terminal.js';

interface AdminFlags {
  readonly dir: string;
  readonly role?: Role;
  readonly email?: string;
  readonly json?: boolean;
}

/** `pressmark admin`: manages the users of the admin. */
export function adminCommand(): Command {
  return withDir(new Command('admin'))
    .addArgument(new Argument('<action>', 'what to do').choices(['add', 'remove', 'list']))
    .argument('[name]', 'the user’s name')
    .addOption(
      new Option('--role <role>', 'editor: articles and deliveries; admin: everything').choices(ROLES),
    )
    .option('--email <address>', 'the author’s address in commits')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('pressmark admin add ada --role admin'))
    .action(async (action: 'add' | 'remove' | 'list', name: string | undefined, flags: AdminFlags) => {
      if (action === 'list') return list(flags);
      if (name === undefined)
        throw new PressmarkError(
          'USAGE',
          `the name of the user is missing; write pressmark admin ${action} <name>`,
        );
      return action === 'add' ? add(name, flags) : remove(name, flags);
    });
}

/** Adds a user and prints an invitation link. The user sets the password there, so nobody else knows it. */
async function add(name: string, { dir, role, email, json }: AdminFlags): Promise<void> {
  const settings = await loadSite(dir);
  const first = (await adminUsers(settings).isAny()) ? undefined : 'admin';
  const given = role ?? first;
  const about = given === undefined ? name : `${name} ${given}`;
  const { user, token, until } = await audited(settings, 'add', about, ({ invite }) =>
    invite(name, { role: given, email }),
  );
  const link = await invitationLink(settings, token);
  if (json) return printJson({ ...user, link, until });
  print(
    `${printable(user.name)} (${user.role}) sets a password here; the link works once, for 24 hours:\n${link}`,
  );
}

async function remove(name: string, { dir, json }: AdminFlags): Promise<void> {
  const settings = await loadSite(dir);
  await audited(settings, 'remove', name, async ({ remove }) => {
    if (await remove(name)) return;
    throw new PressmarkError(
      'USAGE',
      `there is no user ${quote(name)}; pressmark admin list prints the users`,
    );
  });
  if (json) printJson({ removed: name });
  else print(`${printable(name)} is removed and logged out`);
}

async function list({ dir, json }: AdminFlags): Promise<void> {
  const users = await adminUsers(await loadSite(dir)).list();
  if (json) return printJson(users, 2);
  if (users.length === 0) return print('no users; pressmark admin add <name> adds one');
  for (const line of aligned(users.map(rowOf))) print(line);
}

function rowOf({ name, role, email = '', hasPassword, linkUntil }: Account): string[] {
  const link = linkUntil !== undefined && Date.parse(linkUntil) > Date.now();
  const state = hasPassword
    ? ''
    : link
      ? `has a link until ${linkUntil}`
      : 'has no password; add again for a link';
  return [name, role, email, state];
}
