import { type DefaultTreeAdapterTypes, parse, parseFragment, serialize } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

/** A page as a browser reads it. */
export interface Page {
  readonly html: string;
  /** The element that the site's layout has around an article. */
  readonly article: Element | undefined;
  readonly head: Element | undefined;
}

/** Parses a page. */
export function readPage(html: string): Page {
  const root = parse(html);
  return { html, article: elements(root, 'article')[0], head: elements(root, 'head')[0] };
}

/** All elements of a name, in their order. */
export function elements(node: Node, name: string): Element[] {
  return walk(node).filter((one): one is Element => 'tagName' in one && one.tagName === name);
}

/** The value of an attribute. */
export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((one) => one.name === name)?.value;
}

/** Elements between which readers see a gap, even if the HTML has none. */
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tbody td tfoot th thead time tr ul'.split(
    ' ',
  ),
);

/**
 * What a reader sees of a part of a page: words with single spaces between them, and typographic signs as they are
 * typed, because most generators set them.
 */
export function textOf(node: Node): string {
  return typed(rawText(node)).replace(/\s+/g, ' ').trim();
}

/** What a reader sees of HTML. */
export const textOfHtml = (html: string) => textOf(parseFragment(html));

/** The texts of all `pre` elements, character by character, but for line breaks at their end. */
export function codeBlocks(node: Node): string[] {
  return elements(node, 'pre').map((pre) => characters(pre).trimEnd());
}

export const codeBlocksOfHtml = (html: string) => codeBlocks(parseFragment(html));

/**
 * HTML as every parser gives it back, without comments and white space at its ends.
 *
 * @param collapsed whether white space is collapsed where no reader sees it.
 */
export function sameHtml(node: Element | string, collapsed: boolean): string {
  const root = parseFragment(typeof node === 'string' ? node : serialize(node));
  removeComments(root);
  if (collapsed) collapseSpace(root);
  return serialize(root).trim();
}

function collapseSpace(node: Node): void {
  if (isText(node)) node.value = node.value.replace(/\s+/g, ' ');
  if (!('childNodes' in node) || ['pre', 'script', 'style', 'textarea'].includes(node.nodeName)) return;
  for (const child of node.childNodes) collapseSpace(child);
}

function removeComments(node: Node): void {
  if (!('childNodes' in node)) return;
  node.childNodes = node.childNodes.filter((child) => child.nodeName !== '#comment');
  for (const child of node.childNodes) removeComments(child);
}

function walk(node: Node): Node[] {
  return [node, ...('childNodes' in node ? node.childNodes.flatMap(walk) : [])];
}

function rawText(node: Node): string {
  if (isText(node)) return node.value;
  if (!('childNodes' in node) || node.nodeName === 'script' || node.nodeName === 'style') return '';
  const text = node.childNodes.map(rawText).join('');
  return BLOCKS.has(node.nodeName) ? ` ${text} ` : text;
}

const characters = (node: Node) =>
  walk(node)
    .filter(isText)
    .map(({ value }) => value)
    .join('');

function isText(node: Node): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === '#text' && 'value' in node;
}

/** Typographic signs as they are typed, as generators set them, and without the word joiners that keep a theme's `markdownify` from acting. */
export function typed(text: string): string {
  return text
    .replaceAll('\u2060', '')
    .replace(/[‘’‚‛]/g, "'")
    .replace(/[“”„‟]|''|``/g, '"')
    .replaceAll('«', '<<')
    .replaceAll('»', '>>')
    .replaceAll('—', '---')
    .replaceAll('–', '--')
    .replaceAll('…', '...');
}
