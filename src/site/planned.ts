import { hash } from 'node:crypto';

/** What a file holds: text, as a rule; a theme's pictures and fonts are bytes. */
export type Content = string | Uint8Array;

/** A file of the site before it is made. */
export interface Planned {
  /** Below the output folder, with forward slashes. */
  readonly path: string;
  /** Changes with everything that the file is made of. While it stays the same, the file is not made again. */
  readonly key: string;
  /** Makes the file; undefined where that is not possible now and the file that stands there stays. */
  render(): Content | undefined | Promise<Content | undefined>;
  /** Asked after `render`: whether the file has all that the key stands for. If not, the next build makes it again. */
  isWhole?(): boolean;
}

/** A key of several inputs. */
export function keyOf(...inputs: readonly string[]): string {
  return hash('sha1', inputs.join('\0'), 'base64');
}
