import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Writes plugins into a site's folder, their code by the names of their files without `.mjs`. @returns the folder. */
export function withPlugins(dir: string, plugins: Readonly<Record<string, string>>): string {
  fs.mkdirSync(join(dir, 'plugins'), { recursive: true });
  for (const [name, code] of Object.entries(plugins))
    fs.writeFileSync(join(dir, `plugins/${name}.mjs`), code);
  return dir;
}

/** Puts packages of this repository where a site has those that it has installed. @param names @default the package itself */
export function withPackages(dir: string, ...names: readonly string[]): void {
  fs.mkdirSync(join(dir, 'node_modules'), { recursive: true });
  fs.symlinkSync(ROOT, join(dir, 'node_modules/pressmark'));
  for (const name of names) fs.symlinkSync(join(ROOT, 'node_modules', name), join(dir, 'node_modules', name));
}

/** The code of a plugin of `examples/plugins/`. */
export function exampleCode(name: string): string {
  return fs.readFileSync(join(ROOT, `examples/plugins/${name}.mjs`), 'utf8');
}
