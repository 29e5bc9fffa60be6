const START = '<!-- svc:item:';
const END = ' -->';

/** What is written in the body of every new article so that the service finds it on the live site (contract: Body additions). */
export function itemComment(id: string): string {
  return `${START}${id}${END}`;
}

/** The item comments of a piece of HTML or Markdown, in their order. */
export function itemComments(text: string): string[] {
  // No regular expression: one would look for the end again behind every start that has none.
  const found: string[] = [];
  for (let at = 0; ; ) {
    const start = text.indexOf(START, at);
    if (start === -1) return found;
    const end = text.indexOf(END, start + START.length);
    if (end === -1) return found;
    at = end + END.length;
    found.push(text.slice(start, at));
  }
}
