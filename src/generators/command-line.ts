/** A text as one word of a POSIX shell's command line. */
export function shellWord(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Flags for the program that a build command runs. npm passes them on only behind `--`; other package managers pass
 * them on as they are, and a `--` with them. Empty where they would reach another program, such as the one behind `&&`
 * in `astro build && pagefind --site dist`.
 *
 * @param program the name of the generator's program.
 * @param scripts the npm scripts of the site, by name.
 */
export function passedOn(
  flags: string,
  command: string,
  program: string,
  scripts: Readonly<Record<string, string>> = {},
): string {
  const last = lastOf(command);
  const name = /^(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?([\w:.-]+)/.exec(last)?.[1];
  const script = name === undefined ? undefined : scripts[name];
  const runs = script !== undefined ? lastOf(script) : name === undefined ? last : program;
  if (!runs.split(/[\s/]/).some((word) => word.replace(/@.*/, '') === program)) return '';
  return /^npm\s/.test(last) && !/\s--(?:\s|$)/.test(last) ? `-- ${flags}` : flags;
}

/** The last one of the commands of a line, which is the one that gets what is put to its end. */
const lastOf = (line: string): string =>
  line
    .split(/[;&|]+/)
    .at(-1)
    ?.trim() ?? '';

/**
 * The flag by which a build of Hugo or Jekyll writes to another folder; the last one on a command line decides.
 *
 * @returns such as `Generator.outputFlags`.
 */
export function destinationFlags(program: 'hugo' | 'jekyll') {
  return (command: string, output: string, scripts?: Readonly<Record<string, string>>): string =>
    passedOn(`--destination ${shellWord(output)}`, command, program, scripts);
}
