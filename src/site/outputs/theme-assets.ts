import type { RenderContext } from '../render/render-context.js';
import { type Content, fixedOutput, type Output } from './output.js';

/** The icon, which every browser asks for. */
const ICON = 'favicon.svg';

/** The style sheet, the icon, and the pictures and fonts of the theme. */
export function themeAssets(context: () => RenderContext): Output {
  function files(): ReadonlyMap<string, () => Content> {
    const { theme, renderFile } = context();
    return new Map<string, () => Content>([
      [theme.styleSheet.file, () => theme.styleSheet.text],
      ...theme.assets.flatMap(
        ({ file, hashedFile, read }) =>
          [
            [file, read],
            [hashedFile, read],
          ] as const,
      ),
      [ICON, () => renderFile(ICON)],
    ]);
  }

  let last:
    | { readonly context: RenderContext; readonly files: ReadonlyMap<string, () => Content> }
    | undefined;
  const now = () => {
    if (last?.context !== context()) last = { context: context(), files: files() };
    return last.files;
  };

  return { ...fixedOutput(['assets/', ICON], now), isAsset: true };
}

/** What a theme has for the top of the site, such as `favicon.ico`; it stands in place of a file of the site's own. */
export function rootFiles(context: () => RenderContext): Output {
  return { ...fixedOutput([], () => context().theme.rootFiles), isAsset: true };
}
