/** A text as one word of a POSIX shell's command line. */
export function shellWord(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Flags for the program that a build command runs. npm passes them on only behind `--`; other package managers pass
 * them on as they are, and a `--` with them.
 */
export function passedOn(flags: string, command: string): string {
  return /^\s*npm\s/.test(command) && !/\s--(?:\s|$)/.test(command) ? `-- ${flags}` : flags;
}

/** The flag by which a build of Hugo or Jekyll writes to another folder; the last one on a command line decides. */
export function destinationFlags(command: string, output: string): string {
  return passedOn(`--destination ${shellWord(output)}`, command);
}
